"""The unit tests of collaboration as part of an evaluation: a small number of rollouts, kept in the run folder."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from coplay.data.whole_file import write_whole
from coplay.games.game import Game
from coplay.measure import MeasureError
from coplay.measure.robustness import Robustness, failed, robustness, suite_of
from coplay.measure.run_folder import RunFolder
from coplay.play.episode_file import save

ROLLOUTS = 10  # games from every start: enough to see what an agent always or never does
FILE = "robustness/tests.json"


def has_tests(game: Game) -> bool:
    """Is there a suite for this game?"""
    try:
        return bool(suite_of(game))
    except MeasureError:
        return False


def run_tests(
    folder: RunFolder,
    game: Game,
    agent: str,
    seed: int = 0,
    rollouts: int = ROLLOUTS,
    room: int = 0,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> None:
    """Plays the suite, unless the folder holds its results; `room` as in `robustness`."""
    if (folder / FILE).is_file() or not has_tests(game):
        return
    say(f"unit tests: {rollouts} games from every start")
    keep_tests(folder, robustness(game, agent, rollouts, seed, room), rollouts, seed)


def keep_tests(folder: RunFolder, result: Robustness, rollouts: int, seed: int) -> None:
    """Writes the failed games, and last the table that names them."""
    games: dict[str, str] = {}
    for failure in failed(result):
        place = f"robustness/{failure.test.name.replace(' ', '-')}.safetensors"
        save(failure.episodes, folder / place)
        games[failure.test.name] = place
    rows = [row | {"failed_games": games.get(row["test"], "")} for row in result.table()]
    found = {"rollouts": rollouts, "seed": seed, "tests": _plain(rows), "categories": _plain(result.categories())}
    write_whole(folder / FILE, json.dumps(found, indent=1) + "\n")


def results_of_tests(folder: RunFolder) -> dict[str, Any] | None:
    """What `run_tests` found; None where it was not asked."""
    file: Path = folder / FILE
    return json.loads(file.read_text(encoding="utf-8")) if file.is_file() else None


def _plain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """JSON has no NaN: where nothing is known stands null."""
    return [
        {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in row.items()}
        for row in rows
    ]
