"""Teamwork apart from skill: the measures of the drop-in player challenges.

MacAlpine and Stone, "Evaluating Ad Hoc Teamwork Performance in Drop-In Player Challenges" (2017); equations and tables
are numbered as there. In a cooperative game a match is two teams playing the same deals, as in duplicate bridge, and
the difference of their scores is the goal difference.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from coplay.measure import MeasureError, MeasureWarning
from coplay.measure.dropin.games import Match, check_matches, check_sizes
from coplay.measure.dropin.model import Forecast, predict
from coplay.measure.dropin.schedule import schedule
from coplay.measure.study.validate import numbers, whole

__all__ = [
    "Forecast",
    "Match",
    "dropin_agd",
    "normalised",
    "predict",
    "rel_skill",
    "schedule",
    "skill_agd",
    "teamwork_agd",
]


def rel_skill(scores: Any) -> np.ndarray:
    """relSkill from self-play: scores [N, deals] of each agent's team of copies on the same deals -> [N, N]."""
    mean = numbers("scores", scores, 2).mean(1)
    return mean[:, None] - mean[None, :]


def skill_agd(rel_skill: Any, per_team: int) -> np.ndarray:
    """Equation 2: an agent's expected goal difference over all drop-in games if skill alone decided them.

    rel_skill: [N, N], entry (a, b) the goal difference of a team of a's against a team of b's -> [N]
    """
    rel = numbers("rel_skill", rel_skill, 2)
    count, width = rel.shape
    if count != width:
        raise MeasureError(f"rel_skill must be square, a row and a column per agent; got shape {rel.shape}.")
    per_team = check_sizes(count, per_team)
    if not np.allclose(rel, -rel.T, rtol=1e-9, atol=1e-9 * max(1.0, float(np.abs(rel).max()))):
        a, b = (int(i) for i in np.unravel_index(np.argmax(np.abs(rel + rel.T)), rel.shape))
        raise MeasureError(
            f"rel_skill must be antisymmetric, but ({a}, {b}) is {rel[a, b]:g} and ({b}, {a}) is {rel[b, a]:g}. "
            "Fill the half you measured and write rel_skill - rel_skill.T."
        )
    return rel.sum(1) / (per_team * (count - 1))


def dropin_agd(games: Iterable[Any], n_agents: int) -> np.ndarray:
    """The mean goal difference of each agent over the drop-in games it played -> [N].

    games: (team_a, team_b, goal_difference) with agent indices; the difference is team_a's score minus team_b's.
    """
    n_agents = whole("n_agents", n_agents, 2)
    total, played = np.zeros(n_agents), np.zeros(n_agents)
    for team_a, team_b, difference in check_matches(games, n_agents):
        total[list(team_a)] += difference
        total[list(team_b)] -= difference
        played[list(team_a + team_b)] += 1
    return total / played


def teamwork_agd(dropin: Any, skill: Any) -> np.ndarray:
    """Equation 3: what an agent reaches in mixed teams beyond what its skill explains -> [N]."""
    reached, explained = numbers("dropin", dropin, 1), numbers("skill", skill, 1)
    _same_length(dropin=reached, skill=explained)
    return reached - explained


def normalised(skill: Any, teamwork: Any, reference: Iterable[int]) -> tuple[np.ndarray, np.ndarray]:
    """Equation 4: (normOffset, normTeamworkAGD), both [N], so that equal teamwork reads as zero at every skill.

    reference: agents known to have the same teamwork at different skills. A polynomial through their points
    (skill, -teamwork), of one degree less than there are points, gives the offset of everybody else.
    """
    skills, values = numbers("skill", skill, 1), numbers("teamwork", teamwork, 1)
    _same_length(skill=skills, teamwork=values)
    chosen = _reference(reference, len(skills))
    points = skills[chosen]
    low, high = float(points.min()), float(points.max())
    # Agents of one skill share one point of the curve: least squares passes through the middle of theirs.
    distinct = np.unique(np.round((points - low) / (high - low or 1), 9))
    domain = [low, high] if len(distinct) > 1 else [0, 1]
    curve = np.polynomial.Polynomial.fit(points, -values[chosen], len(distinct) - 1, domain=domain)
    offset = np.asarray(curve(skills), np.float64)
    offset[chosen] = -values[chosen]
    room = 0.05 * (high - low)  # noise puts a twin of the best or worst reference just beyond it
    outside = np.flatnonzero((skills < low - room) | (skills > high + room))
    if len(distinct) > 1 and len(outside):
        warnings.warn(
            f"agents {outside.tolist()} have a skill outside the reference agents' range {low:.3g} to {high:.3g}: "
            "their offsets are extrapolated. Add reference agents at both ends.",
            MeasureWarning,
            stacklevel=2,
        )
    return offset, values + offset


def _reference(reference: Iterable[int], count: int) -> np.ndarray:
    agents = list(reference)
    if not agents:
        raise MeasureError("reference is empty; name at least one agent whose teamwork is the measure of the others.")
    indices = sorted({whole("an agent in reference", agent, 0) for agent in agents})
    if indices[-1] >= count:
        raise MeasureError(f"reference names agent {indices[-1]}, but there are {count}, numbered from 0.")
    return np.array(indices)


def _same_length(**lists: np.ndarray) -> None:
    (first, a), (second, b) = lists.items()
    if len(a) != len(b):
        raise MeasureError(f"{first} has {len(a)} agents and {second} has {len(b)}; give one value per agent in both.")
