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
from coplay.challenge.guard import LARGEST
from coplay.data import DataError
from coplay.games.game import GameError
from coplay.games.overcooked.layouts import library
from coplay.play.episode_file import EpisodeFileError
from coplay.play.replay import ReplayError
from coplay.report.replay import page as film
from coplay.report.replay_file import read_game
from coplay.web.film import FRAMED, film_answer
from coplay.web.pages import page

log = logging.getLogger("coplay.web")
router = APIRouter()
LONGEST = 1000  # steps of a kitchen
NAME = 40  # letters of a player's name: it stands in every picture
PATIENCE = 15.0  # seconds a visitor waits for the games of others
_turn = threading.Lock()  # drawing takes a processor for a moment: one game at a time, so that tables go on


@router.get("/replay")
def choose_file(request: Request) -> HTMLResponse:
    """The page that opens a file."""
    return page("file.html", largest=LARGEST)


@router.post("/replay")
def show_file(file: Annotated[UploadFile, File()], number: Annotated[int, Form()] = 0) -> HTMLResponse:
    """The one game that the file holds, as a film; `number` is what it was in the visitor's file."""
    if not _turn.acquire(timeout=PATIENCE):
        return _refusal(503, "others are watching games just now; try again in a moment.")
    try:
        return film_answer(_film(file.file.read(LARGEST + 1), file.filename or "", number), keep=False)
    except ChallengeError as problem:
        return _refusal(problem.status, str(problem))
    finally:
        _turn.release()


def _film(content: bytes, name: str, number: int) -> str:
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
            return film(dataclasses.replace(episodes, names=names), 0, number)
        except (DataError, EpisodeFileError, GameError, ReplayError) as error:
            text = str(error).replace(f"{path}", "this file")
            raise ChallengeError(text, 422, "bad_file") from error
        except Exception as error:  # anybody can send anything: whatever breaks, it is the file's fault
            log.info("a file could not be shown", extra={"reason": type(error).__name__})
            text = "this file does not hold a whole game: its parts do not fit together; write it again."
            raise ChallengeError(text, 422, "bad_file") from error


def _check_settings(path: Path) -> None:
    """A file says how its game is set up, and a kitchen may be named by a file of this machine: not by strangers."""
    settings = _settings(path)
    layout = settings.get("layout")
    known = {name for kitchen in library().values() for name in (kitchen.name, *kitchen.aliases)}
    remedy = "`coplay replay FILE` shows it on your own machine"
    if layout is not None and layout not in known:
        raise DataError(f"{str(layout)[:40]!r} is not one of the kitchens {', '.join(library())}; {remedy}.")
    horizon, chefs = settings.get("horizon", 0), settings.get("chefs") or 2
    if not isinstance(horizon, int) or horizon > LONGEST or not isinstance(chefs, int) or chefs > 4:
        raise DataError(f"a kitchen here has at most {LONGEST} steps and 4 chefs; {remedy}.")


def _settings(path: Path) -> dict[str, Any]:
    """The settings in a file of episodes; other files have none."""
    if path.suffix == ".json":
        return {}
    try:
        with safe_open(path, framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get("coplay", "{}"))
    except (SafetensorError, ValueError, RecursionError) as error:
        text = "this is no whole safetensors file; open one of `coplay selfplay --save`, AH2AC2, or hanab.live's JSON"
        raise DataError(f"{text} (with the ending .json).") from error
    settings = about.get("settings", {}) if isinstance(about, dict) else {}
    return settings if isinstance(settings, dict) else {}


def _refusal(status: int, message: str) -> HTMLResponse:
    """What is wrong, inside the frame where the film would be."""
    answer = page("file_problem.html", status, message=message)
    answer.headers["Content-Security-Policy"] = f"default-src 'none'; style-src 'self'; {FRAMED}"
    return answer
