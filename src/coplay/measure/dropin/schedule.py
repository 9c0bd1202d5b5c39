"""Who plays whom: Algorithm 1 of the drop-in player challenges, a greedy draw of balanced mixed teams."""

from __future__ import annotations

import numpy as np

from coplay.measure.dropin.games import Team, assignments, check_sizes
from coplay.measure.study.validate import whole

REPEATS_BEFORE_CHANCE = 100


def schedule(n_agents: int, per_team: int, seed: int = 0, games: int | None = None) -> list[tuple[Team, Team]]:
    """Drop-in games until everyone has played with and against everyone (teams of one: against).

    `games` asks for that many instead: the algorithm runs on, as the paper lets it. All are different as long as there
    are different ones: an assignment that was drawn before is drawn again, and after a hundred repeats in a row chance
    takes one of those that are left.
    """
    per_team = check_sizes(n_agents, per_team)
    draws = _Draws(n_agents, per_team, np.random.default_rng(whole("seed", seed, 0)))
    if games is not None:
        return _different(draws, whole("games", games, 1), assignments(n_agents, per_team))
    drawn = [draws.preferred()]
    while not draws.everyone_met:
        drawn.append(draws.preferred())
    return drawn


def _different(draws: _Draws, games: int, existing: int) -> list[tuple[Team, Team]]:
    """The first different games; none comes again before all have come."""
    drawn: list[tuple[Team, Team]] = []
    seen: set[tuple[Team, ...]] = set()
    while len(drawn) < games:
        if len(seen) == existing:
            seen.clear()
        game = _unseen(draws, seen)
        seen.add(tuple(sorted(game)))
        drawn.append(game)
    return drawn


def _unseen(draws: _Draws, seen: set[tuple[Team, ...]]) -> tuple[Team, Team]:
    for _ in range(REPEATS_BEFORE_CHANCE + 1):
        game = draws.preferred()
        if tuple(sorted(game)) not in seen:
            return game
    # The preferences may keep away from the last ones for ever; chance does not.
    while True:
        game = draws.by_chance()
        if tuple(sorted(game)) not in seen:
            draws.count(game)
            return game


class _Draws:
    """Games drawn one after another, and who has met whom in them."""

    def __init__(self, n_agents: int, per_team: int, rng: np.random.Generator) -> None:
        self.per_team, self.rng = per_team, rng
        self.against = np.zeros((n_agents, n_agents), np.int64)
        self.together = np.zeros((n_agents, n_agents), np.int64)
        self.played = np.zeros(n_agents, np.int64)
        # Kept up to date, for to look at all pairs after every game takes hours for a thousand agents.
        self.unmet = (1 if per_team == 1 else 2) * n_agents * (n_agents - 1)

    @property
    def everyone_met(self) -> bool:
        """On both sides."""
        return self.unmet == 0

    def preferred(self) -> tuple[Team, Team]:
        """The next game of Algorithm 1; it counts, whether it is used or not."""
        team_a: list[int] = []
        team_b: list[int] = []
        for _ in range(self.per_team):
            for team, opponents in ((team_a, team_b), (team_b, team_a)):
                team.append(_next_agent(team, opponents, self.played, self.against, self.together, self.rng))
        game = tuple(sorted(team_a)), tuple(sorted(team_b))
        self.count(game)
        return game

    def by_chance(self) -> tuple[Team, Team]:
        """Any game, all equally likely."""
        order = self.rng.permutation(len(self.played))[: 2 * self.per_team].tolist()
        return tuple(sorted(order[: self.per_team])), tuple(sorted(order[self.per_team :]))

    def count(self, game: tuple[Team, Team]) -> None:
        for team, opponents in (game, game[::-1]):
            self.played[list(team)] += 1
            across, among = np.ix_(team, opponents), np.ix_(team, team)
            self.against[across] += 1
            self.together[among] += 1
            first_among = (self.together[among] == 1) & ~np.eye(len(team), dtype=bool)
            self.unmet -= int((self.against[across] == 1).sum() + first_among.sum())


def _next_agent(
    team: list[int],
    opponents: list[int],
    played: np.ndarray,
    against: np.ndarray,
    together: np.ndarray,
    rng: np.random.Generator,
) -> int:
    """The free agent that the seven ordered preferences put first; team and opponents are those chosen so far."""
    free = np.delete(np.arange(len(played)), team + opponents)
    chance = rng.random(len(free))
    first = played[free] == played[free].min()  # the first preference leaves few of many
    free, chance = free[first], chance[first]
    faced = against[np.ix_(free, np.array(opponents, np.intp))]
    joined = together[np.ix_(free, np.array(team, np.intp))]
    most_faced, most_joined = faced.max(1, initial=0), joined.max(1, initial=0)
    preferences = [
        (faced > 0).sum(1),
        (joined > 0).sum(1),
        np.maximum(most_faced, most_joined),
        most_faced,
        most_joined,
        chance,
    ]
    return int(free[np.lexsort(preferences[::-1])[0]])
