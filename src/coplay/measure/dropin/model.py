"""Drop-in games predicted from few: strengths, teammates and opponents as a linear model (section 7 of the paper)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from coplay.measure.dropin.games import Match, Team, check_matches, check_sizes, check_teams
from coplay.measure.stats import Estimate
from coplay.measure.study.validate import between, whole


def predict(games: Iterable[Any], n_agents: int, per_team: int) -> Forecast:
    """Fits the linear model by least squares to games (team_a, team_b, goal_difference).

    There are N + N (N - 1) coefficients and often fewer games; among the fits that explain the games equally well
    the one with the smallest coefficients is taken. `Forecast.unmet` names the pairs no game tells about.
    """
    n_agents = whole("n_agents", n_agents, 2)
    per_team = check_sizes(n_agents, per_team)
    matches = check_matches(games, n_agents, per_team)
    pooled: dict[tuple[Team, Team], list[float]] = {}
    for team_a, team_b, difference in matches:
        swapped = team_b < team_a
        key = (team_b, team_a) if swapped else (team_a, team_b)
        pooled.setdefault(key, []).append(-difference if swapped else difference)
    played = [Match(*teams, float(np.mean(results))) for teams, results in pooled.items()]
    weights = np.array([len(results) for results in pooled.values()], np.float64)
    design = np.stack([_row(match.team_a, match.team_b, n_agents) for match in played])
    scores = np.array([match.difference for match in played])

    root = np.sqrt(weights)
    left, sizes, right = np.linalg.svd(root[:, None] * design, full_matrices=False)
    rank = int((sizes > sizes[0] * max(design.shape) * np.finfo(float).eps).sum())
    left, sizes, right = left[:, :rank], sizes[:rank], right[:rank]
    coefficients = right.T @ (left.T @ (root * scores) / sizes)
    residuals = scores - design @ coefficients

    spare = len(played) - rank
    # Without a game to spare nothing tells noise from signal: then all of it counts as noise.
    noise = float(weights @ residuals**2) / spare if spare else float(weights @ scores**2) / len(played)
    prior = float(np.mean(scores**2) / np.mean((design**2).sum(1)))
    return Forecast(
        n_agents=n_agents,
        per_team=per_team,
        games=len(matches),
        coefficients=coefficients,
        played=tuple(played),
        residuals=residuals,
        noise=noise,
        spare=spare,
        unseen=prior,
        directions=right,
        sizes=sizes,
    )


@dataclass(frozen=True, eq=False)
class Forecast:
    """A fitted model: the expected goal difference of any drop-in game, and how sure it is.

    Standard errors have two parts: noise, estimated from what the model leaves unexplained per assignment of teams,
    and directions no game looked into, which are taken to be as large as those that were seen.
    """

    n_agents: int
    per_team: int
    games: int
    coefficients: np.ndarray  # [N + N (N - 1)]: strengths, then teammates, then opponents of pairs a < b
    played: tuple[Match, ...]  # one per assignment, with the mean of its games
    residuals: np.ndarray  # [assignments played]
    noise: float  # variance of a single game around the model
    spare: int  # assignments beyond those the fit used up
    unseen: float  # variance of a coefficient that no game determines
    directions: np.ndarray  # [rank, coefficients]: orthonormal, what the games determine
    sizes: np.ndarray  # [rank]: how firmly

    @property
    def strength(self) -> np.ndarray:
        """[N]: what an agent adds to its team."""
        return self.coefficients[: self.n_agents]

    @property
    def teammates(self) -> np.ndarray:
        """[N, N] symmetric: what two agents add by playing together."""
        upper = self._square(0)
        return upper + upper.T

    @property
    def opponents(self) -> np.ndarray:
        """[N, N] antisymmetric: what the row agent gains by facing the column agent."""
        upper = self._square(1)
        return upper - upper.T

    @property
    def unmet(self) -> list[tuple[str, int, int]]:
        """Pairs the games say nothing about, as ("with", a, b) or ("against", a, b)."""
        met: set[tuple[str, int, int]] = set()
        for team_a, team_b, _ in self.played:
            for team in (team_a, team_b):
                met |= {("with", a, b) for a, b in itertools.combinations(team, 2)}
            met |= {("against", min(a, b), max(a, b)) for a in team_a for b in team_b}
        ways = ("with", "against") if self.per_team > 1 else ("against",)
        pairs = itertools.combinations(range(self.n_agents), 2)
        return [(way, a, b) for a, b in pairs for way in ways if (way, a, b) not in met]

    def score(self, team_a: Iterable[int], team_b: Iterable[int]) -> float:
        """The expected goal difference of team_a over team_b."""
        return float(self._row(team_a, team_b) @ self.coefficients)

    def interval(self, team_a: Iterable[int], team_b: Iterable[int], confidence: float = 0.95) -> Estimate:
        """`score` with the interval of the expected goal difference; a single game scatters more, by `noise`."""
        row = self._row(team_a, team_b)
        return self._estimate(float(row @ self.coefficients), row, self.games, confidence)

    def dropin_agd(self) -> np.ndarray:
        """dropinAGD over all assignments [N]: those played with their own results, all others predicted."""
        averages = np.array([self._average(agent) for agent in range(self.n_agents)])
        chances = math.comb(self.n_agents - 1, self.per_team - 1) * math.comb(
            self.n_agents - self.per_team, self.per_team
        )
        correction = np.zeros(self.n_agents)
        for match, residual in zip(self.played, self.residuals, strict=True):
            correction[list(match.team_a)] += residual
            correction[list(match.team_b)] -= residual
        return averages @ self.coefficients + correction / chances

    def dropin_intervals(self, confidence: float = 0.95) -> list[Estimate]:
        """`dropin_agd` of every agent with its interval; n counts the assignments the agent played in."""
        counts = np.zeros(self.n_agents, np.int64)
        for match in self.played:
            counts[list(match.team_a + match.team_b)] += 1
        return [
            self._estimate(float(value), self._average(agent), int(counts[agent]), confidence)
            for agent, value in enumerate(self.dropin_agd())
        ]

    def _row(self, team_a: Iterable[int], team_b: Iterable[int]) -> np.ndarray:
        return _row(*check_teams("the game", team_a, team_b, self.n_agents, self.per_team), self.n_agents)

    def _estimate(self, value: float, functional: np.ndarray, count: int, confidence: float) -> Estimate:
        between("confidence", confidence, 0, 1)
        seen = self.directions @ functional
        open_part = max(0.0, float(functional @ functional - seen @ seen))
        variance = self.noise * float(((seen / self.sizes) ** 2).sum()) + self.unseen * open_part
        tail = (1 + confidence) / 2
        quantile = special.stdtrit(self.spare, tail) if self.spare else special.ndtri(tail)
        reach = float(quantile) * math.sqrt(variance)
        return Estimate(value, value - reach, value + reach, count)

    def _average(self, agent: int) -> np.ndarray:
        """[coefficients]: their mean sign over all assignments that have the agent in team_a, in closed form."""
        count, size = self.n_agents, self.per_team
        strength = np.full(count, -1 / (count - 1))  # (size - 1) of the others are with it, size against it
        strength[agent] = 1
        first, second = np.triu_indices(count, 1)
        mine = (first == agent) | (second == agent)
        both_elsewhere = (size - 1) * ((size - 2) - size) / ((count - 1) * max(count - 2, 1))
        teammates = np.where(mine, (size - 1) / (count - 1), both_elsewhere)
        sign = np.where(first == agent, 1, -1)
        opponents = np.where(mine, sign * size / (count - 1), 0)  # pairs of others face each other both ways equally
        return np.concatenate([strength, teammates, opponents])

    def _square(self, kind: int) -> np.ndarray:
        pairs = self.n_agents * (self.n_agents - 1) // 2
        start = self.n_agents + kind * pairs
        square = np.zeros((self.n_agents, self.n_agents))
        square[np.triu_indices(self.n_agents, 1)] = self.coefficients[start : start + pairs]
        return square


def _row(team_a: Team, team_b: Team, n_agents: int) -> np.ndarray:
    """[N + N (N - 1)]: the sign with which each coefficient enters this game."""
    side = np.zeros(n_agents)
    side[list(team_a)] = 1
    side[list(team_b)] = -1
    first, second = np.triu_indices(n_agents, 1)
    one, other = side[first], side[second]
    both = (one != 0) & (other != 0)
    return np.concatenate([side, np.where(both & (one == other), one, 0), np.where(both & (one != other), one, 0)])
