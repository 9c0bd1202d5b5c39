"""What the teams of a tournament came to: matches, and what copies reach with each other."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from coplay.measure import teamwork
from coplay.measure.dropin.games import Match
from coplay.measure.dropin.plan import COPIES, SIDE_A, SIDE_B, Teams, TournamentRun, copies_key, seats_of
from coplay.measure.study.runner import Job


class MatchResult(NamedTuple):
    """Two teams on the same deals."""

    number: int
    team_a: tuple[int, ...]  # agents in seat order
    team_b: tuple[int, ...]
    scores_a: np.ndarray  # float [deals]; of two sides, by how much it led
    scores_b: np.ndarray
    differences: np.ndarray  # float [deals]: of a over b

    @property
    def difference(self) -> float:
        return float(self.differences.mean())

    @property
    def standard_error(self) -> float:
        """Of the difference; NaN for a single deal."""
        count = len(self.differences)
        return float(self.differences.std(ddof=1) / math.sqrt(count)) if count > 1 else math.nan

    @property
    def as_match(self) -> Match:
        return Match(self.team_a, self.team_b, self.difference)

    def scores_of(self, agent: int) -> np.ndarray:
        """Those of the team it sat in."""
        return self.scores_a if agent in self.team_a else self.scores_b


def match_results(run: TournamentRun, jobs: Iterable[Job], teams: Teams) -> tuple[MatchResult, ...]:
    """Those among the jobs."""
    sides: dict[int, dict[str, tuple[tuple[int, ...], np.ndarray]]] = {}
    for job in jobs:
        match, side, _ = job.key
        if side != COPIES:
            scores = np.array([row.score for row in teams[job.key]])
            sides.setdefault(match, {})[side] = (seats_of(job), scores)
    result = _of_rivals if run.sides == 1 else _of_opponents
    return tuple(result(number, *both[SIDE_A], *both[SIDE_B]) for number, both in sides.items())


def _of_rivals(
    number: int, team_a: tuple[int, ...], scores_a: np.ndarray, team_b: tuple[int, ...], scores_b: np.ndarray
) -> MatchResult:
    """Two teams that played the same deals apart."""
    return MatchResult(number, team_a, team_b, scores_a, scores_b, scores_a - scores_b)


def _of_opponents(
    number: int, seats: tuple[int, ...], leads: np.ndarray, turned: tuple[int, ...], trails: np.ndarray
) -> MatchResult:
    """Two teams that met on every deal twice, once with each as the first side."""
    found = (leads - trails) / 2
    return MatchResult(number, seats[::2], turned[::2], found, -found, found)


class Copies(NamedTuple):
    """What teams of copies tell."""

    scores: np.ndarray  # float [agents, deals]; of two sides, by how much they led on average
    rel_skill: np.ndarray  # float [agents, agents]
    skill: np.ndarray  # float [agents, deals]: skillAGD on every deal
    leads: np.ndarray | None = None  # of two sides: float [agents, agents, deals], by how much the first led the second


def of_copies(run: TournamentRun, rounds: int, teams: Teams) -> Copies:
    """All agents' teams met the same deals."""

    def scores(*agents: int) -> list[float]:
        keys = [copies_key(number, *agents, per_team=run.per_team) for number in range(rounds)]
        return [row.score for key in keys for row in teams[key]]

    count = len(run.agents)
    if run.sides == 1:
        own = np.array([scores(agent) for agent in range(count)])
        return Copies(own, teamwork.rel_skill(own), (count * own - own.sum(0)) / (run.per_team * (count - 1)))
    leads = np.zeros((count, count, rounds * run.games))
    for first, second in combinations(range(count), 2):
        found = (np.array(scores(first, second)) - np.array(scores(second, first))) / 2
        leads[first, second], leads[second, first] = found, -found
    mean = leads.sum(1) / (count - 1)
    return Copies(mean, leads.mean(2), mean / run.per_team, leads)
