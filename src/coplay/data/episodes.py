"""Games that were played here (`coplay.play`, `coplay selfplay --save FILE`) as `Games`, and back.

This package knows games only, so it reads any object with the fields of `Episodes`, and the file by its tensors.
"""

from __future__ import annotations

import dataclasses
import importlib.metadata
import json
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from coplay.data import DataError
from coplay.data.games import Games, standard_game
from coplay.data.hanablive import rotated
from coplay.data.whole_file import write_whole
from coplay.games.game import GameError
from coplay.games.hanabi import Hanabi
from coplay.games.registry import make

FORMAT = "coplay episodes 1"
ABOUT = "about."  # how we mark tensors that playing and replaying have no use for


class Episodes(Protocol):
    """The fields of `coplay.play.episode.Episodes` that a conversion reads."""

    @property
    def game(self) -> Any: ...
    @property
    def decks(self) -> np.ndarray: ...
    @property
    def starts(self) -> Any: ...  # with `seat`: int [games]
    @property
    def actions(self) -> np.ndarray: ...
    @property
    def lengths(self) -> np.ndarray: ...
    @property
    def scores(self) -> np.ndarray: ...
    @property
    def forfeits(self) -> Any: ...  # each with `game`


class _Starts(NamedTuple):
    seat: np.ndarray


class _Forfeit(NamedTuple):
    game: int


class _Stored(NamedTuple):
    """A file of episodes."""

    game: Any
    decks: np.ndarray
    starts: _Starts
    actions: np.ndarray
    lengths: np.ndarray
    scores: np.ndarray
    forfeits: tuple[_Forfeit, ...]
    about: dict[str, np.ndarray]  # the ids and extra arrays of games that `save_episodes` wrote


def from_episodes(source: Episodes | str | Path) -> Games:
    """The whole games among the episodes; forfeited ones are left out. A game's id is its index unless it has one.

    Whoever started becomes seat 0, and every other seat moves with it.
    """
    if isinstance(source, str | Path):
        source = _read(Path(source))
    game = _standard(source.game)
    whole = np.setdiff1d(np.arange(len(source.scores)), [forfeit.game for forfeit in source.forfeits])
    if not whole.size:
        raise DataError("every one of these games was forfeited; there is nothing to keep.")
    seats = np.asarray(source.starts.seat).reshape(-1)
    decks = [rotated(game, source.decks[row], int(seats[row])) for row in whole]
    lengths = source.lengths[whole].astype(np.int32)
    about = dict(getattr(source, "about", {}))
    return Games(
        players=game.players,
        game_ids=about.pop("game_ids", np.arange(len(source.scores), dtype=np.int32))[whole],
        scores=source.scores[whole].astype(np.int32),
        decks=np.stack(decks).astype(np.int32),
        actions=source.actions[whole, : lengths.max()].astype(np.int32),
        lengths=lengths,
        extra={name: values[whole] for name, values in about.items()},
    )


def save_episodes(path: str | Path, games: Games, name: str = "recorded") -> None:
    """Writes a file of episodes, which `coplay replay` shows; `name` stands for whoever played."""
    game = games.game
    tensors = {
        "actions": games.actions.astype(np.int16),
        "lengths": games.lengths.astype(np.int32),
        "scores": games.scores.astype(np.float32),
        "start.decks": games.decks.astype(np.int8),
        "start.seat": np.zeros(len(games), np.int8),
        f"{ABOUT}game_ids": games.game_ids.astype(np.int32),
    }
    tensors |= {f"{ABOUT}{name}": np.ascontiguousarray(values) for name, values in games.extra.items()}
    about = {
        "format": FORMAT,
        "coplay": importlib.metadata.version("coplay"),
        "game": game.name,
        "game_version": game.version,
        "settings": {
            field.name: getattr(game, field.name) for field in dataclasses.fields(game) if field.name != "name"
        },
        "names": [name] * game.players,
        "forfeits": [],
    }
    write_whole(path, save(tensors, {"coplay": json.dumps(about)}))


def is_episode_file(path: Path) -> bool:
    """A safetensors file that says it holds episodes."""
    try:
        with safe_open(path, framework="numpy") as file:
            return json.loads((file.metadata() or {}).get("coplay", "{}")).get("format") == FORMAT
    except (OSError, SafetensorError, json.JSONDecodeError):
        return False


def _read(path: Path) -> _Stored:
    if not is_episode_file(path):
        raise DataError(f"{path}: this is not a file of episodes, which `coplay selfplay AGENT --save FILE` writes.")
    with safe_open(path, framework="numpy") as file:
        about = json.loads(file.metadata()["coplay"])
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    try:
        if about["game_version"] != Hanabi.version or "start.decks" not in arrays:
            raise DataError(
                f"{path}: it holds {about['game']} version {about['game_version']}; only games of hanabi version "
                f"{Hanabi.version} can be converted."
            )
        settings = {name: tuple(v) if isinstance(v, list) else v for name, v in about["settings"].items()}
        return _Stored(
            game=make(about["game"], **settings),
            decks=arrays["start.decks"].astype(np.int32),
            starts=_Starts(arrays["start.seat"]),
            actions=arrays["actions"],
            lengths=arrays["lengths"],
            scores=arrays["scores"],
            forfeits=tuple(_Forfeit(forfeit["game"]) for forfeit in about["forfeits"]),
            about={name.removeprefix(ABOUT): value for name, value in arrays.items() if name.startswith(ABOUT)},
        )
    except (KeyError, GameError) as error:
        raise DataError(f"{path}: this file of episodes is broken ({error}); write it again.") from error


def _standard(game: Any) -> Hanabi:
    """The game, if it is played by the standard rules; what is observed and who starts do not matter."""
    if isinstance(game, Hanabi):
        usual = standard_game(game.players)
        seen = {name: getattr(usual, name) for name in ("observation", "encoding", "start_player", "name")}
        if dataclasses.replace(game, **seen) == usual:
            return usual
    raise DataError(f"{game}: this format holds Hanabi games of the standard rules; play `coplay.make('hanabi')`.")
