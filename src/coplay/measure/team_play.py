"""Cross-play beyond pairs: every team that can be drawn from some agents, in every seating, on the same deals.

A team is a multiset: an agent may sit in several seats. Its seatings are all different orders of its members; all of
them play all deals and count the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement, permutations
from typing import NamedTuple

import numpy as np

from coplay.games.game import Game
from coplay.measure.crossplay import Key, make_all, play_all
from coplay.measure.validate import whole
from coplay.play.progress import progress_bar
from coplay.play.team import Player


class Team(NamedTuple):
    """One multiset of agents and what it scored."""

    members: tuple[int, ...]  # sorted
    seatings: tuple[tuple[int, ...], ...]
    scores: np.ndarray  # float32 [seatings, games]

    @property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def median(self) -> float:
        return float(np.median(self.scores))

    @property
    def standard_error(self) -> float:
        """Seatings of a deal are alike, so deals are what is drawn; NaN for a single deal."""
        per_deal = self.scores.mean(0)
        return float(per_deal.std(ddof=1) / math.sqrt(len(per_deal))) if len(per_deal) > 1 else math.nan

    @property
    def zero(self) -> float:
        """Share of games that end with nothing."""
        return float((self.scores == 0).mean())


class TeamPlay(NamedTuple):
    """All teams of some agents."""

    names: tuple[str, ...]
    teams: tuple[Team, ...]
    forfeits: tuple[str, ...]

    @property
    def together(self) -> np.ndarray:
        """float [agents, agents]: mean over the teams in which both sit; on the diagonal, the team of copies."""
        count = len(self.names)
        found = np.full((count, count), np.nan)
        for i, j in np.ndindex(count, count):
            means = [team.mean for team in self.teams if _both_sit(i, j, team.members)]
            if means:
                found[i, j] = np.mean(means)
        return found


def _both_sit(i: int, j: int, members: tuple[int, ...]) -> bool:
    return set(members) == {i} if i == j else {i, j} <= set(members)


def team_play(
    game: Game,
    agents: Sequence[str | Player],
    games: int = 1000,
    seed: int = 0,
    different: int | None = None,
    jobs: int = 1,
) -> TeamPlay:
    """Plays every team of at most `different` different agents (by default as many as there are seats)."""
    most = game.players if different is None else whole("different", different, 1)
    whole("games", games, 1)
    made, names = make_all(game, agents, jobs)
    teams = multisets(len(made), game.players, most)
    keys: dict[Key, Key] = {seating: seating for team in teams for seating in seatings_of(team)}
    scores: dict[Key, np.ndarray] = {}
    forfeits: list[str] = []
    with progress_bar("cross-play", len(keys)) as advance:
        for key, found, lost in play_all(game, names if jobs > 1 else made, keys, games, seed, jobs):
            scores[key] = found
            forfeits += [f"{', '.join(names[agent] for agent in key)}: {words}" for words in lost]
            advance(1)
    played = [Team(team, seatings_of(team), np.stack([scores[way] for way in seatings_of(team)])) for team in teams]
    return TeamPlay(names, tuple(played), tuple(sorted(forfeits)))


def multisets(agents: int, players: int, different: int) -> list[tuple[int, ...]]:
    """All teams, those of copies first."""
    found = combinations_with_replacement(range(agents), players)
    return sorted((team for team in found if len(set(team)) <= different), key=lambda team: (len(set(team)), team))


def seatings_of(team: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """All different orders of the members."""
    return tuple(sorted(set(permutations(team))))
