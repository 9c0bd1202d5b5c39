"""Which kind of file is it? One door for people who have games and do not care in which format."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from coplay.data import DataError
from coplay.data.ah2ac2 import load_games, save_games
from coplay.data.episodes import from_episodes, is_episode_file, save_episodes
from coplay.data.games import Games
from coplay.data.hanablive_games import load_hanablive, save_hanablive
from coplay.data.verification import require

Kind = Literal["ah2ac2", "episodes", "hanablive", "overcooked"]
NAMES: dict[Kind, str] = {
    "ah2ac2": "AH2AC2 games",
    "episodes": "coplay episodes",
    "hanablive": "hanab.live games",
    "overcooked": "Overcooked trials",
}
WRITERS = {"ah2ac2": save_games, "episodes": save_episodes, "hanablive": save_hanablive}


def kind_of(path: str | Path) -> Kind:
    """By what lies there: a suffix, what a folder holds, and what a safetensors file says about itself."""
    path = Path(path)
    if path.is_dir():
        inside = {file.suffix for file in path.rglob("*")}
        if inside >= {".json"}:
            return "hanablive"
        if inside >= {".npz"}:
            return "overcooked"
        raise DataError(f"{path}: this folder holds neither .json files (hanab.live) nor .npz files (Overcooked).")
    if not path.is_file():
        raise DataError(f"{path}: there is no such file or folder.")
    by_suffix: dict[str, Kind] = {".json": "hanablive", ".npz": "overcooked"}
    if path.suffix in by_suffix:
        return by_suffix[path.suffix]
    return "episodes" if is_episode_file(path) else "ah2ac2"


def read(path: str | Path, check: bool = True) -> Games:
    """The Hanabi games of a file of any kind; `check` plays them all again."""
    kind = kind_of(path)
    if kind == "ah2ac2":
        return load_games(path, check)
    if kind == "hanablive":
        return load_hanablive(path)  # it plays them anyway, to learn the scores
    if kind == "overcooked":
        raise DataError(f"{path}: Overcooked trials have no cards; read them with coplay.data.overcooked.load_trials.")
    games = from_episodes(path)
    if check:
        require(games, str(path))
    return games


def write(path: str | Path, games: Games, kind: str | None = None) -> str:
    """Writes the games; without a kind a .json file becomes hanab.live's and any other the challenge's."""
    kind = kind or ("hanablive" if Path(path).suffix == ".json" else "ah2ac2")
    if kind not in WRITERS:
        raise DataError(f"{kind!r} cannot be written; choose one of {', '.join(WRITERS)}.")
    WRITERS[kind](path, games)
    return kind
