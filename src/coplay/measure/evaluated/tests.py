"""The unit tests of collaboration as part of an evaluation: a small number of rollouts, in a folder of its folder."""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from coplay.game import Game
from coplay.games import make
from coplay.measure import MeasureError
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.robustness import (
    RobustnessFolder,
    Validation,
    read_robustness,
    read_validation,
    robustness,
    suite_of,
    validate,
)
from coplay.measure.robustness.result import CategoryScore, UnitScore
from coplay.measure.robustness.run import face_of
from coplay.measure.robustness.validation import FOLDER as VALIDATION
from coplay.measure.robustness.validation import GAMES
from coplay.measure.stats import Estimate
from coplay.measure.study.runner import tell

ROLLOUTS = 10  # games from every start: enough to see what an agent always or never does
FOLDER = "tests"
OLDER = "robustness/tests.json"  # where they were kept before


@dataclasses.dataclass(frozen=True)
class SuiteResult:
    """What the tests of an evaluation found."""

    rollouts: int
    tests: tuple[UnitScore, ...]  # their files are named from the folder of the evaluation
    categories: tuple[CategoryScore, ...]


def has_tests(game: Game) -> bool:
    """Is there a suite for this game?"""
    try:
        return bool(suite_of(game))
    except MeasureError:
        return False


def run_tests(
    folder: EvaluationFolder,
    game: str | Game,
    agent: str,
    seed: int = 0,
    rollouts: int = ROLLOUTS,
    room: int = 0,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
) -> None:
    """Plays what the folder does not hold of the suite; `room` as in `robustness`."""
    made = make(game)
    if (folder / OLDER).is_file() or not has_tests(made):
        return
    if not (folder / FOLDER).exists():
        say(f"unit tests: {rollouts} games from every start")
    robustness(made, agent, rollouts, seed, room, out=folder / FOLDER)


def check_validation(game: Game) -> None:
    """Before anything is played."""
    if not face_of(game).validators(game):
        raise MeasureError(f"validation: {game.name} holds no partners out to validate with; leave --validation out.")


def run_validation(folder: EvaluationFolder, game: str | Game, agent: str, seed: int = 0, each: int = GAMES) -> None:
    """Plays what the folder does not hold of the whole games with held-out partners."""
    validate(game, agent, None, each, seed, out=folder / FOLDER, say=tell)


def results_of_validation(folder: Path) -> Validation | None:
    """What `run_validation` found; None where it was not asked."""
    return read_validation(folder / FOLDER) if (folder / FOLDER / VALIDATION).is_dir() else None


def results_of_tests(folder: Path) -> SuiteResult | None:
    """What `run_tests` found; None where it was not asked."""
    if (folder / OLDER).is_file():
        return _older(json.loads((folder / OLDER).read_text(encoding="utf-8")))
    if not (folder / FOLDER / "run.json").is_file():
        return None
    found = read_robustness(RobustnessFolder(folder / FOLDER))
    tests = tuple(dataclasses.replace(one, file=f"{FOLDER}/{one.file}") for one in found.tests)
    return SuiteResult(found.run.rollouts, tests, found.categories)


def _older(found: Any) -> SuiteResult:
    """Of a folder in which only the failed games were kept."""

    def score(row: Any) -> Estimate:
        low, high = (math.nan if row[end] is None else row[end] for end in ("low", "high"))
        return Estimate(row["score"], low, high, found["rollouts"])

    tests = (
        UnitScore(
            where=row["where"],
            category=row["category"],
            test=row["test"],
            partner=row["partner"],
            starts=row["starts"],
            score=score(row),
            says=row["says"],
            file=row["failed_games"],
            failed=(0,),
        )
        for row in found["tests"]
    )
    categories = (CategoryScore(row["where"], row["category"], row["tests"], score(row)) for row in found["categories"])
    return SuiteResult(found["rollouts"], tuple(tests), tuple(categories))
