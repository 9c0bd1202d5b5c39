"""Cross-play beyond pairs: every team that can be drawn from some agents, in every seating, on the same deals.

A team is a multiset: an agent may sit in several seats. Its seatings are all different orders of its members; all of
them play all deals and count the same.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from itertools import combinations_with_replacement, permutations
from pathlib import Path
from typing import Any

import numpy as np

from coplay.games import make
from coplay.measure.crossplay import (
    PAIRS,
    CrossPlay,
    CrossPlayFolder,
    CrossPlayRun,
    PlayedTeams,
    Seats,
    pairs_of,
    play_teams,
    played_teams,
    told_apart,
)
from coplay.measure.study.cast import Several
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import Say, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.where import On

TEAMS = "teams of"


@dataclasses.dataclass(frozen=True, eq=False)
class TeamScores:
    """One multiset of agents and what it scored."""

    members: Seats  # sorted
    seatings: tuple[Seats, ...]
    mean: float
    standard_error: float  # NaN for a single deal
    median: float
    zero: float  # share of games that end with nothing
    scores: np.ndarray = dataclasses.field(metadata=NOT_IN_JSON)  # float [seatings, games]

    @classmethod
    def of(cls, seatings: Sequence[Seats], scores: np.ndarray) -> TeamScores:
        """Seatings of a deal are alike, so deals are what is drawn."""
        per_deal = scores.mean(0)
        error = float(per_deal.std(ddof=1) / math.sqrt(len(per_deal))) if len(per_deal) > 1 else math.nan
        found = (float(scores.mean()), error, float(np.median(scores)), float((scores == 0).mean()))
        return cls(tuple(sorted(seatings[0])), tuple(seatings), *found, scores)


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class TeamPlay(Result):
    """All teams of some agents."""

    names: tuple[str, ...]
    teams: tuple[TeamScores, ...]
    forfeits: tuple[str, ...]
    run: CrossPlayRun
    folder: Path = dataclasses.field(metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        best = max(self.teams, key=lambda team: team.mean)
        return f"{len(self.teams)} teams of {len(self.names)} agents; the best, {self.name_of(best)}: {best.mean:.2f}"

    def name_of(self, team: TeamScores) -> str:
        return " + ".join(self.names[agent] for agent in team.members)

    def rows(self) -> Rows:
        """A row per team."""
        return [
            {
                "team": self.name_of(team),
                "seatings": len(team.seatings),
                "games": team.scores.size,
                "mean": team.mean,
                "standard_error": team.standard_error,
                "median": team.median,
                "zero": team.zero,
            }
            for team in self.teams
        ]

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


def _both_sit(i: int, j: int, members: Seats) -> bool:
    return set(members) == {i} if i == j else {i, j} <= set(members)


def team_play(
    game: Any,
    agents: Several,
    games: int = 1000,
    seed: int = 0,
    different: int | None = None,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    *,
    out: str | Path | None = None,
    say: Say = quiet,
) -> TeamPlay:
    """Plays every team of at most `different` different agents (by default as many as there are seats)."""
    game, agents = make(game), told_apart(agents)
    most = game.players if different is None else whole("different", different, 1)
    ways = [way for team in multisets(len(agents), game.players, most) for way in seatings_of(team)]
    return teams_of(play_teams(game, agents, f"{TEAMS} {most}", ways, games, seed, on, move_seconds, out, say))


def read_team_play(where: CrossPlayFolder | str | Path) -> TeamPlay:
    """The result of a run folder of teams."""
    return teams_of(played_teams(where))


def read_teams(where: CrossPlayFolder | str | Path) -> CrossPlay | TeamPlay:
    """The result of a run folder of pairs or of teams."""
    found = played_teams(where)
    return pairs_of(found) if found.run.teams == PAIRS else teams_of(found)


def teams_of(found: PlayedTeams) -> TeamPlay:
    by_members: dict[Seats, list[Seats]] = {}
    for way in found.run.seats:
        by_members.setdefault(tuple(sorted(way)), []).append(way)
    teams = [TeamScores.of(ways, np.stack([found.scores(way) for way in ways])) for ways in by_members.values()]
    return TeamPlay(found.run.agents, tuple(teams), found.forfeits, found.run, found.folder.path)


def multisets(agents: int, players: int, different: int) -> list[Seats]:
    """All teams, those of copies first."""
    found = combinations_with_replacement(range(agents), players)
    return sorted((team for team in found if len(set(team)) <= different), key=lambda team: (len(set(team)), team))


def seatings_of(team: Seats) -> tuple[Seats, ...]:
    """All different orders of the members."""
    return tuple(sorted(set(permutations(team))))
