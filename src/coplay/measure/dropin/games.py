"""Drop-in games: two disjoint teams of equal size drawn from the agents, and the goal difference between them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from coplay.measure import MeasureError
from coplay.measure.study.validate import numbers, whole

Team = tuple[int, ...]


class Match(NamedTuple):
    """One drop-in game; the difference is team_a's score minus team_b's."""

    team_a: Team
    team_b: Team
    difference: float


def check_sizes(n_agents: int, per_team: int) -> int:
    """per_team, if two such teams can be drawn from the agents."""
    per_team = whole("per_team", per_team, 1)
    if whole("n_agents", n_agents, 1) < 2 * per_team:
        raise MeasureError(
            f"two teams of {per_team} need {2 * per_team} agents; there are {n_agents}. "
            "Add agents or make the teams smaller."
        )
    return per_team


def check_team(where: str, team: Any, n_agents: int) -> Team:
    """The team as a sorted tuple of agent indices."""
    try:
        members = [whole(f"an agent of {where}", agent, 0) for agent in team]
    except TypeError:
        raise MeasureError(f"{where} must be a list of agent indices; got {team!r}.") from None
    if not members:
        raise MeasureError(f"{where} is empty; a team needs at least one agent.")
    if max(members) >= n_agents:
        raise MeasureError(f"{where} names agent {max(members)}, but there are {n_agents}, numbered from 0.")
    return tuple(sorted(members))


def check_teams(where: str, team_a: Any, team_b: Any, n_agents: int, per_team: int | None = None) -> tuple[Team, Team]:
    """Both teams as sorted tuples: equally large, nobody on both sides or twice on one."""
    a, b = check_team(f"team_a of {where}", team_a, n_agents), check_team(f"team_b of {where}", team_b, n_agents)
    size = len(a) if per_team is None else per_team
    if len(a) != size or len(b) != size:
        rule = "teams must be equally large" if per_team is None else f"teams must have {per_team} agents"
        raise MeasureError(f"{where} has teams of {len(a)} and {len(b)}, but {rule}.")
    if len({*a, *b}) != 2 * size:
        twice = sorted({agent for agent in a + b if (a + b).count(agent) > 1})
        raise MeasureError(f"{where} seats agent {twice[0]} twice; each agent plays in one team, once.")
    return a, b


def check_matches(games: Iterable[Any], n_agents: int, per_team: int | None = None) -> list[Match]:
    """The games, checked; every agent must have played, or its average does not exist."""
    matches = []
    for index, game in enumerate(games):
        where = f"game {index}"
        try:
            team_a, team_b, result = game
        except (TypeError, ValueError):
            raise MeasureError(f"{where} must be (team_a, team_b, goal_difference); got {game!r}.") from None
        a, b = check_teams(where, team_a, team_b, n_agents, per_team)
        matches.append(Match(a, b, float(numbers(f"the goal difference of {where}", result, 0))))
    if not matches:
        raise MeasureError("there are no games; play at least one drop-in game, see teamwork.schedule.")
    absent = set(range(n_agents)).difference(*({*match.team_a, *match.team_b} for match in matches))
    if absent:
        raise MeasureError(
            f"agent {min(absent)} played in none of the {len(matches)} games; every agent needs one. "
            "Play the games of teamwork.schedule, or lower n_agents."
        )
    return matches


def assignments(n_agents: int, per_team: int) -> int:
    """How many different drop-in games there are: pairs of disjoint teams, in no order."""
    return math.comb(n_agents, per_team) * math.comb(n_agents - per_team, per_team) // 2
