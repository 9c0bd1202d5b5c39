"""What the paper's tables say, asked of ours."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from coplay.measure import teamwork
from coplay.measure.dropin.results import Standing, Tournament
from studies.dropin.casts import HALF, NEAR, WIDE, Cast, called, normal, poor


class Relation(NamedTuple):
    """A sentence, and whether it is so."""

    says: str
    holds: bool
    how: str  # the figures


class Errors(NamedTuple):
    """Mean squared errors of dropinAGD from half of the matches."""

    averaged: float
    predicted: float


def errors(found: Tournament) -> Errors:
    """Of the first half of the matches against all."""
    games = [(one.team_a, one.team_b, one.difference) for one in found.matches]
    count = len(found.run.agents)
    truth = teamwork.dropin_agd(games, count)
    half = games[:HALF]
    guesses = teamwork.dropin_agd(half, count), teamwork.predict(half, count, found.run.per_team).dropin_agd()
    return Errors(*(float(np.square(guess - truth).mean()) for guess in guesses))


def relations(cast: Cast, found: Tournament) -> Iterator[Relation]:
    lines = {line.agent: line for line in found.standings}
    if cast.name == NEAR.name:
        yield from _of_skill(cast, found, lines)
        yield _below("Every PT player has less teamworkAGD than every normal one (Table 3)", cast, lines)
    if cast.name == WIDE.name:
        yield _slow_gain(cast, lines)
        yield _below("Normalised, every PT player is below every normal one (Table 5)", cast, lines, True)
    both = [speed for speed in cast.normal if speed in cast.poor]
    apart = [lines[normal(speed)].teamwork.value - lines[poor(speed)].teamwork.value for speed in both]
    yield Relation(
        "At the same speed poor teamwork shows as less teamworkAGD",
        min(apart) > 0,
        ", ".join(f"{speed} %: {gap:+.3f}" for speed, gap in zip(both, apart, strict=True)),
    )
    one = errors(found)
    yield Relation(
        f"From half of the matches the model predicts dropinAGD better than averages do (Table {_table(cast)})",
        one.predicted < one.averaged,
        f"mean squared error {one.averaged:.2e} averaged, {one.predicted:.2e} predicted",
    )


def _table(cast: Cast) -> int:
    return 6 if cast.name == NEAR.name else 7


def _of_skill(cast: Cast, found: Tournament, lines: dict[str, Standing]) -> Iterator[Relation]:
    agents = found.run.agents
    gaps = {
        (fast, slow): float(found.rel_skill[agents.index(normal(fast)), agents.index(normal(slow))])
        for fast, slow in combinations(cast.normal, 2)
    }
    least = min(gaps, key=lambda pair: gaps[pair])
    yield Relation(
        "Of two teams of copies the faster one wins (Table 1)",
        min(gaps.values()) > 0,
        f"the closest: Agent{least[0]} beats Agent{least[1]} by {gaps[least]:.2f} goals",
    )
    skills = [lines[normal(speed)].skill.value for speed in cast.normal]
    yield Relation(
        "skillAGD falls with the speed (Table 2)",
        skills == sorted(skills, reverse=True),
        ", ".join(f"{value:+.3f}" for value in skills),
    )


def _slow_gain(cast: Cast, lines: dict[str, Standing]) -> Relation:
    """Where skills lie far apart, slow players gain from mixed teams, and plain teamworkAGD is misled."""
    slowest = normal(min(cast.normal))
    best = max(cast.agents, key=lambda agent: lines[agent].teamwork.value)
    return Relation(
        "The slowest player has the highest teamworkAGD (Table 4)",
        best == slowest,
        f"{called(best)} has {lines[best].teamwork.short('+.3f')}",
    )


def _below(says: str, cast: Cast, lines: dict[str, Standing], normalised: bool = False) -> Relation:
    def value(agent: str) -> float:
        line = lines[agent]
        return float(line.normalised if normalised and line.normalised is not None else line.teamwork.value)

    worst = min((normal(speed) for speed in cast.normal), key=value)
    best = max((poor(speed) for speed in cast.poor), key=value)
    figures = f"the lowest normal one, {called(worst)}: {value(worst):+.3f}; the highest PT player, {called(best)}: "
    return Relation(says, value(best) < value(worst), f"{figures}{value(best):+.3f}")
