"""What the unit tests of collaboration say of an agent: per test, per category, with intervals."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.measure import MeasureError
from coplay.measure.robustness.unit_test import CATEGORIES, UnitTest
from coplay.measure.stats import Estimate, bootstrap
from coplay.measure.study.folder import Folder
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import Run
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import load

ALL = "all"  # places together


@dataclasses.dataclass(frozen=True, kw_only=True)
class RobustnessRun(Run):
    """What was asked."""

    agent: str
    games: tuple[str, ...]  # specs of the games whose tests are played
    rollouts: int  # games from every start


class UnitGame(NamedTuple):
    """A line of games.csv."""

    where: str  # how the game's world calls it: a layout, a number of players
    test: str
    game: int  # among those of its test
    start: int
    rollout: int
    passed: int
    steps: int
    forfeit: str


class RobustnessFolder(Folder[UnitGame, RobustnessRun]):
    """The folder of unit tests."""

    format, what, command = "coplay robustness 1", "run of unit tests", "coplay robustness AGENT"
    row, asked, key = UnitGame, RobustnessRun, ("where", "test")


class Outcome(NamedTuple):
    """How one test went."""

    where: str
    test: UnitTest
    passed: np.ndarray  # bool [starts, rollouts]
    file: Path  # of the games, start by start
    game: Any

    @property
    def score(self) -> Estimate:
        """The share of passed games. The starts are given, not drawn, so only the rollouts are resampled."""
        return bootstrap(self.passed.mean(0), np.mean)

    @property
    def episodes(self) -> Episodes:
        """All its games, start by start."""
        return load(self.file, self.game)


class Failure(NamedTuple):
    """The failed games of one test, ready for `coplay.report.replay`."""

    where: str
    test: UnitTest
    starts: np.ndarray  # int [games]: from which start
    episodes: Episodes


@dataclasses.dataclass(frozen=True)
class UnitScore:
    """One test."""

    where: str
    category: str
    test: str
    partner: str
    starts: int
    score: Estimate  # share of games passed
    says: str  # what a good partner does
    file: str  # of its games, in the folder
    failed: tuple[int, ...]  # the numbers of the failed ones


@dataclasses.dataclass(frozen=True)
class CategoryScore:
    """A category in one place, or in all of them."""

    where: str
    category: str
    tests: int
    score: Estimate


@dataclasses.dataclass(frozen=True, repr=False)
class Robustness(Result):
    """All tests of one agent."""

    run: RobustnessRun
    tests: tuple[UnitScore, ...]
    categories: tuple[CategoryScore, ...]
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    outcomes: tuple[Outcome, ...] = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    games: tuple[UnitGame, ...] = dataclasses.field(compare=False, metadata=NOT_IN_JSON)

    @property
    def agent(self) -> str:
        return self.run.agent

    @property
    def title(self) -> str:
        told = {one.category: one.score.value for one in self.categories}  # the last place is all of them
        shares = ", ".join(f"{name} {value:.2f}" for name, value in told.items())
        return f"{self.agent} in {len(self.tests)} unit tests: {shares}"

    def rows(self) -> Rows:
        """A row per test."""
        return [
            {
                "agent": self.agent,
                "where": one.where,
                "category": one.category,
                "test": one.test,
                "partner": one.partner,
                "starts": one.starts,
                "rollouts": self.run.rollouts,
                "score": one.score.value,
                "low": one.score.low,
                "high": one.score.high,
                "says": one.says,
            }
            for one in self.tests
        ]

    def category(self, name: str, where: str | None = None) -> Estimate:
        """The mean over the tests of a category, every test counting the same; then over places, as in the paper."""
        return category_score(self.outcomes, name, where)


def category_score(outcomes: tuple[Outcome, ...], name: str, where: str | None = None) -> Estimate:
    rows: dict[str, list[np.ndarray]] = {}
    for outcome in outcomes:
        if outcome.test.category == name and where in (None, outcome.where):
            rows.setdefault(outcome.where, []).append(outcome.passed.mean(0))
    if not rows:
        known = ", ".join(name for name in CATEGORIES if any(name == o.test.category for o in outcomes))
        raise MeasureError(f"there are no tests of category {name!r} in {where or 'this result'}; it has {known}.")
    return bootstrap(np.mean([np.mean(tests, 0) for tests in rows.values()], 0), np.mean)


def category_scores(outcomes: tuple[Outcome, ...]) -> tuple[CategoryScore, ...]:
    """One per category and place, and where there are several places, one over all of them."""
    places = list(dict.fromkeys(outcome.where for outcome in outcomes))
    found = []
    for where in [*places, *([None] if len(places) > 1 else [])]:
        for name in CATEGORIES:
            tests = {o.test.name for o in outcomes if o.test.category == name and where in (None, o.where)}
            if tests:
                found.append(CategoryScore(where or ALL, name, len(tests), category_score(outcomes, name, where)))
    return tuple(found)


def failed(result: Robustness) -> list[Failure]:
    """Every failed game, test by test; `coplay.report.replay.page(failure.episodes, 0)` shows the first of one."""
    failures = []
    for outcome in result.outcomes:
        rows = np.flatnonzero(~outcome.passed.reshape(-1))
        if len(rows):
            starts = rows // outcome.passed.shape[1]
            failures.append(Failure(outcome.where, outcome.test, starts, outcome.episodes[rows]))
    return failures
