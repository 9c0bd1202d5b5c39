"""The formats of recorded Hanabi games, as the core reads and writes them."""

from __future__ import annotations

from pathlib import Path

from safetensors import SafetensorError, safe_open

from coplay.data.checking import Problem
from coplay.data.formats import Format
from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi.recordings.ah2ac2 import load_games, save_games
from coplay.worlds.hanabi.recordings.episodes import from_episodes, to_episodes
from coplay.worlds.hanabi.recordings.hanablive_games import load_hanablive, save_hanablive
from coplay.worlds.hanabi.recordings.verification import verify


def _is_ah2ac2(path: Path) -> bool:
    """A safetensors file that is nobody else's: what it lacks, its reader says."""
    if not path.is_file() or path.suffix == ".json":
        return False
    try:
        with safe_open(path, framework="numpy") as file:
            return "coplay" not in (file.metadata() or {})
    except (OSError, SafetensorError, TypeError):
        return path.suffix == ".safetensors"


def _is_hanablive(path: Path) -> bool:
    return any(path.glob("*.json")) if path.is_dir() else path.suffix == ".json"


def _check(episodes: Episodes) -> list[Problem]:
    """In the words of Hanabi's rules."""
    return [Problem(*one) for one in verify(from_episodes(episodes))]


AH2AC2 = Format(
    "ah2ac2",
    "AH2AC2 games",
    fits=_is_ah2ac2,
    read=lambda path, check: [to_episodes(load_games(path, check))],
    write=lambda path, episodes: save_games(path, from_episodes(episodes)),
    check=_check,
)
HANABLIVE = Format(
    "hanablive",
    "hanab.live games",
    fits=_is_hanablive,
    read=lambda path, check: [to_episodes(load_hanablive(path))],  # it plays them anyway, to learn the scores
    write=lambda path, episodes: save_hanablive(path, from_episodes(episodes)),
    check=_check,
)
