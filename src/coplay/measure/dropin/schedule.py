"""Who plays whom: Algorithm 1 of the drop-in player challenges, a greedy draw of balanced mixed teams."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coplay.measure.dropin.games import Team, assignments, check_sizes
from coplay.measure.study.validate import whole

REPEATS_BEFORE_A_GAME_RETURNS = 100


def schedule(n_agents: int, per_team: int, seed: int = 0, games: int | None = None) -> list[tuple[Team, Team]]:
    """Drop-in games until everyone has played with and against everyone (teams of one: against).

    `games` asks for that many instead: the algorithm runs on, as the paper lets it. An assignment that was drawn before
    is drawn again, up to a hundred times in a row; then it may come a second time.
    """
    per_team = check_sizes(n_agents, per_team)
    draws = _draws(n_agents, per_team, np.random.default_rng(whole("seed", seed, 0)))
    if games is None:
        drawn: list[tuple[Team, Team]] = []
        for game, complete in draws:
            drawn.append(game)
            if complete:
                break
        return drawn
    return _different(draws, whole("games", games, 1), assignments(n_agents, per_team))


def _different(draws: Iterator[tuple[tuple[Team, Team], bool]], games: int, existing: int) -> list[tuple[Team, Team]]:
    """The first games of the stream, none again before all have come (or the stream keeps avoiding the last ones)."""
    drawn: list[tuple[Team, Team]] = []
    seen: set[tuple[Team, ...]] = set()
    repeats = 0
    while len(drawn) < games:
        game, _ = next(draws)
        key = tuple(sorted(game))
        if len(seen) == existing:
            seen.clear()
        if key in seen and repeats < REPEATS_BEFORE_A_GAME_RETURNS:
            repeats += 1
            continue
        seen.add(key)
        drawn.append(game)
        repeats = 0
    return drawn


def _draws(n_agents: int, per_team: int, rng: np.random.Generator) -> Iterator[tuple[tuple[Team, Team], bool]]:
    """Games without end, each with whether everyone has now met everyone on both sides."""
    against = np.zeros((n_agents, n_agents), np.int64)
    together = np.zeros((n_agents, n_agents), np.int64)
    played = np.zeros(n_agents, np.int64)
    others = ~np.eye(n_agents, dtype=bool)
    while True:
        team_a: list[int] = []
        team_b: list[int] = []
        for _ in range(per_team):
            for team, opponents in ((team_a, team_b), (team_b, team_a)):
                team.append(_next_agent(team, opponents, played, against, together, rng))
        for team, opponents in ((team_a, team_b), (team_b, team_a)):
            played[team] += 1
            against[np.ix_(team, opponents)] += 1
            together[np.ix_(team, team)] += 1
        met = (against > 0) & ((together > 0) | (per_team == 1))
        yield (tuple(sorted(team_a)), tuple(sorted(team_b))), bool(met[others].all())


def _next_agent(
    team: list[int],
    opponents: list[int],
    played: np.ndarray,
    against: np.ndarray,
    together: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """The free agent that the seven ordered preferences put first; team and opponents are those chosen so far."""
    free = np.setdiff1d(np.arange(len(played)), team + opponents)
    faced, joined = against[free][:, opponents], together[free][:, team]
    most_faced, most_joined = faced.max(1, initial=0), joined.max(1, initial=0)
    preferences = [
        played[free],
        (faced > 0).sum(1),
        (joined > 0).sum(1),
        np.maximum(most_faced, most_joined),
        most_faced,
        most_joined,
        rng.random(len(free)),
    ]
    return int(free[np.lexsort(preferences[::-1])[0]])
