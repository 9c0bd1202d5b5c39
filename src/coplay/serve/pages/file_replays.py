"""A game from a visitor's own disk, to watch. The browser cuts it out of its file; it is shown and kept nowhere."""

from __future__ import annotations

import dataclasses
import json
import logging
import threading
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Request, UploadFile
from fastapi.responses import HTMLResponse
from safetensors import SafetensorError, safe_open

from coplay.challenge.errors import ChallengeError
from coplay.data import DataError
from coplay.game import GameError
from coplay.games import family_of, game_names
from coplay.registry import of_worlds
from coplay.report.replay import page as replay_page
from coplay.report.replay_file import read_game
from coplay.rollouts.episode_file import EpisodeFileError
from coplay.rollouts.replay import ReplayError
from coplay.serve.http.guard import LARGEST
from coplay.serve.pages.framed_replay import FRAMED, framed_replay
from coplay.serve.pages.games import people_of_worlds
from coplay.serve.pages.pages import page
from coplay.specs import parse

log = logging.getLogger("coplay.serve")
router = APIRouter()
NAME = 40  # letters of a player's name: it stands in every picture
PATIENCE = 15.0  # seconds a visitor waits for the games of others
_turn = threading.Lock()  # drawing takes a processor for a moment: one game at a time, so that tables go on


@router.get("/replay")
def choose_file(request: Request) -> HTMLResponse:
    """The page that opens a file."""
    return page("file.html", largest=LARGEST, formats=list(of_worlds("formats")))


@router.post("/replay")
def show_file(file: Annotated[UploadFile, File()], number: Annotated[int, Form()] = 0) -> HTMLResponse:
    """The one game that the file holds, to watch; `number` is what it was in the visitor's file."""
    if not _turn.acquire(timeout=PATIENCE):
        return _refusal(503, "others are watching games just now; try again in a moment.")
    try:
        return framed_replay(_replay_page(file.file.read(LARGEST + 1), file.filename or "", number), keep=False)
    except ChallengeError as problem:
        return _refusal(problem.status, str(problem))
    finally:
        _turn.release()


def _replay_page(content: bytes, name: str, number: int) -> str:
    """Readers want a path, so the game lies in a folder of its own while it is read."""
    with TemporaryDirectory(prefix="coplay-replay-") as folder:
        path = Path(folder) / ("game.json" if name.lower().endswith(".json") else "game.safetensors")
        path.write_bytes(content)
        try:
            _check_settings(path)
            episodes = read_game(path, 0)
            names = tuple(str(each)[:NAME] for each in episodes.names)
            if len(names) != episodes.game.players:
                raise DataError(f"there are {len(names)} names for {episodes.game.players} players; write it again.")
            return replay_page(dataclasses.replace(episodes, names=names), 0, number)
        except (DataError, EpisodeFileError, GameError, ReplayError) as error:
            text = str(error).replace(f"{path}", "this file")
            raise ChallengeError(text, 422, "bad_file") from error
        except Exception as error:  # anybody can send anything: whatever breaks, it is the file's fault
            log.info("a file could not be shown", extra={"reason": type(error).__name__})
            text = "this file does not hold a whole game: its parts do not fit together; write it again."
            raise ChallengeError(text, 422, "bad_file") from error


def _check_settings(path: Path) -> None:
    """A file says which game it holds and how it is set up. A stranger's may name no file of this machine."""
    about = _about(path)
    named = [parse(str(about[place])) for place in ("spec", "game") if place in about]
    settings = about.get("settings")
    given = dict(settings) if isinstance(settings, dict) else {}
    for spec in named:
        if spec.name not in game_names():
            text = f"{spec.name[:40]!r} is an unknown game here; `coplay replay FILE` shows it on your own machine."
            raise DataError(text)
        face = people_of_worlds().get(family_of(spec.name))
        if face is not None:
            face.check_stranger(given)
            face.check_stranger(spec.options)


def _about(path: Path) -> dict[str, Any]:
    """What a file of episodes says about itself; other files say nothing."""
    if path.suffix == ".json":
        return {}
    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get("coplay", "{}"))
    except (SafetensorError, ValueError, RecursionError) as error:
        formats = ", ".join(of_worlds("formats"))
        text = f"this is no whole safetensors file; open one of `coplay selfplay --save`, or of a format ({formats})"
        raise DataError(f"{text} that coplay reads; JSON has the ending .json.") from error
    return about if isinstance(about, dict) else {}


def _refusal(status: int, message: str) -> HTMLResponse:
    """What is wrong, inside the frame where the game would be."""
    answer = page("file_problem.html", status, message=message)
    answer.headers["Content-Security-Policy"] = f"default-src 'none'; style-src 'self'; {FRAMED}"
    return answer
