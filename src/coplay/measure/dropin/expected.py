"""What a match is expected to end with, learned from matches that were played, for any number of agents.

The same linear model as in `model`, pulled towards zero and without intervals, because `sequential` needs none: it lets
the model take away what it foresaw of a match, so that what is left scatters less. A poor model costs games, never
correctness. Where a thousand agents play, only what is not zero is ever written down.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.linalg import lsmr

from coplay.measure.dropin.games import Match, Team

PULL = 1.0  # towards zero: as if every coefficient had been seen once to be nothing


class Expected(NamedTuple):
    """The coefficients: what agents add alone, together and against each other."""

    per_team: int
    strength: np.ndarray  # [N]
    teammates: np.ndarray  # [N, N] symmetric
    opponents: np.ndarray  # [N, N] antisymmetric; zero where the teams of a match do not meet

    def difference(self, team_a: Team, team_b: Team) -> float:
        """The goal difference of a match."""
        faced = self.opponents[np.ix_(team_a, team_b)].sum()
        return float(self._team(team_a) - self._team(team_b) + faced)

    def _team(self, team: Team) -> float:
        return float(self.strength[list(team)].sum() + self.teammates[np.ix_(team, team)].sum() / 2)

    def averages(self) -> np.ndarray:
        """[N]: of all matches with an agent, seen from its side; the others are drawn by lot."""
        others, size = max(len(self.strength) - 1, 1), self.per_team
        alone = self.strength - (self.strength.sum() - self.strength) / others
        mine = self.teammates.sum(1)
        elsewhere = self.teammates.sum() / 2 - mine
        both_elsewhere = (size - 1) * ((size - 2) - size) / (others * max(others - 1, 1))
        return alone + mine * (size - 1) / others + elsewhere * both_elsewhere + self.opponents.sum(1) * size / others

    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Two [N] between which `difference` lies in every match of an agent, seen from its side."""
        size = self.per_team
        best, worst = self._teams_at_best(1), self._teams_at_best(-1)
        faced = size * self.opponents.max(1) + size * (size - 1) * self.opponents.max()
        lost = size * self.opponents.min(1) + size * (size - 1) * self.opponents.min()
        return worst.of_agent - best.of_any + lost, best.of_agent - worst.of_any + faced

    def _teams_at_best(self, sign: int) -> _Extremes:
        """The most (of -1: the least) that teams are worth, by what their pairs are worth at most."""
        size = self.per_team
        if size == 1:
            return _Extremes(self.strength, sign * float((sign * self.strength).max()))
        pairs = self.teammates + (self.strength[:, None] + self.strength) / (size - 1)
        by_agent = np.where(np.eye(len(pairs), dtype=bool), -np.inf, sign * pairs).max(1)
        most = float(by_agent.max())
        of_agent = (size - 1) * by_agent + math.comb(size - 1, 2) * most
        return _Extremes(sign * of_agent, sign * math.comb(size, 2) * most)


class _Extremes(NamedTuple):
    of_agent: np.ndarray  # [N]: of teams with an agent
    of_any: float


def expect(matches: Sequence[Match], n_agents: int, per_team: int, facing: bool) -> Expected:
    """Fits the model to matches; `facing`: the teams of a match play against each other."""
    pairs = n_agents * (n_agents - 1) // 2
    rows, columns, signs = [], [], []
    for row, (team_a, team_b, _) in enumerate(matches):
        for team, sign in ((team_a, 1), (team_b, -1)):
            found = [*team, *(n_agents + _pair(i, j, n_agents) for i, j in itertools.combinations(sorted(team), 2))]
            columns += found
            signs += [sign] * len(found)
            rows += [row] * len(found)
        for i, j in itertools.product(team_a, team_b) if facing else ():
            columns.append(n_agents + pairs + _pair(min(i, j), max(i, j), n_agents))
            signs.append(1 if i < j else -1)
            rows.append(row)
    design = csr_matrix((signs, (rows, columns)), (len(matches), n_agents + 2 * pairs), dtype=np.float64)
    found = lsmr(design, np.array([match.difference for match in matches]), damp=math.sqrt(PULL))[0]
    together = _square(found[n_agents : n_agents + pairs], n_agents)
    against = _square(found[n_agents + pairs :], n_agents)
    return Expected(per_team, found[:n_agents], together + together.T, against - against.T)


def _pair(first: int, second: int, n_agents: int) -> int:
    """The number of a pair, first < second, in the order of `triu_indices`."""
    return first * (2 * n_agents - first - 1) // 2 + second - first - 1


def _square(values: np.ndarray, n_agents: int) -> np.ndarray:
    square = np.zeros((n_agents, n_agents))
    square[np.triu_indices(n_agents, 1)] = values
    return square
