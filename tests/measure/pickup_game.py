"""A pick-up game with known truth: how fast an agent walks and whether it gets in its teammates' way are set apart.

As in the paper's experiment: the nearest of a team goes for the ball; agents with poor teamwork also go when an
unknown teammate is nearer, and may spoil its attempt. Copies of one agent never get in each other's way, so teams of
copies show skill alone.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from coplay.measure import teamwork

ROUNDS = 40


class Agents(NamedTuple):
    speed: np.ndarray  # [N]
    poor: np.ndarray  # bool [N]: poor teamwork


def matrix_of_kinds(speeds: list[float]) -> Agents:
    """Every speed once with good and once with poor teamwork: good ones first."""
    return Agents(np.array(speeds * 2), np.repeat([False, True], len(speeds)))


def goal_difference(agents: Agents, a: tuple[int, ...], b: tuple[int, ...], games: int, rng) -> np.ndarray:
    """[games]: of team a over team b; an index that fills a whole team stands for a team of copies."""
    arrivals, spoilt = zip(*(_race(agents, np.array(team), games, rng) for team in (a, b)), strict=True)
    first = arrivals[0] < arrivals[1]
    return ((first & ~spoilt[0]).astype(int) - (~first & ~spoilt[1]).astype(int)).sum(1)


def _race(agents: Agents, team: np.ndarray, games: int, rng) -> tuple[np.ndarray, np.ndarray]:
    """When the team's nearest agent is at the ball, and whether a teammate spoils its attempt: both [games, ROUNDS]"""
    distance = 1 + rng.random((games, ROUNDS, len(team)))
    nearest = distance.argmin(-1)
    walker = team[nearest]
    meddles = agents.poor[team] & (team != walker[..., None]) & (rng.random(distance.shape) < 0.08)
    return distance.min(-1) / agents.speed[walker], meddles.any(-1)


def tournament(agents: Agents, per_team: int, games: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """skillAGD and dropinAGD, both [N], as the paper measures them."""
    rng, count = np.random.default_rng(seed), len(agents.speed)
    rel = np.zeros((count, count))
    for i, j in itertools.combinations(range(count), 2):
        rel[i, j] = goal_difference(agents, (i,) * per_team, (j,) * per_team, 10 * games, rng).mean()
    mixed = [
        (a, b, goal_difference(agents, a, b, games, rng).mean())
        for a in itertools.combinations(range(count), per_team)
        for b in itertools.combinations(sorted(set(range(count)) - set(a)), per_team)
        if a < b
    ]
    return teamwork.skill_agd(rel - rel.T, per_team), teamwork.dropin_agd(mixed, count)
