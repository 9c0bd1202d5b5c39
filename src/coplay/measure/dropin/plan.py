"""What a drop-in tournament plays: its settings, its teams and the rows of their games."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import ClassVar, NamedTuple

import numpy as np

from coplay.measure.dropin.games import Team
from coplay.measure.dropin.schedule import schedule
from coplay.measure.study.folder import Key
from coplay.measure.study.run import GameRun
from coplay.measure.study.runner import Job
from coplay.sides import line_up

COPIES, SIDE_A, SIDE_B = "copies", "a", "b"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TournamentRun(GameRun):
    """What was asked."""

    agents: tuple[str, ...]
    games: int  # deals of a match
    matches: int | None  # where it ends by itself: at most; None: as many as it needs
    rounds: int  # of self-play; where it ends by itself: at first
    sides: int = 1  # 2: the teams of a match play against each other
    until: float | None = None  # it ends by itself when everybody's teamworkAGD is known to so many points either way
    most: float | None = None  # then: by how much the teams of a match may differ on a deal

    two_sides: ClassVar[bool] = True

    @property
    def per_team(self) -> int:
        return self.players // self.sides

    @property
    def jobs(self) -> list[Job]:
        """The plan: every team that plays, where that is known beforehand."""
        drawn = schedule(len(self.agents), self.per_team, self.seed, self.matches)
        matches = (job for number, teams in enumerate(drawn) for job in self.match(number, teams))
        return [*self.copies(range(self.rounds)), *matches]

    def copies(self, rounds: range) -> Iterator[Job]:
        """Rounds outermost: an early stop has seen every agent. All agents meet the deals of a round."""
        for number in rounds:
            seed = self.number(COPIES, number)
            for seats in self._of_copies():
                yield self._job(number, COPIES, seats, seed)

    def _of_copies(self) -> Iterator[tuple[int, ...]]:
        """A team of each agent's copies; of two sides, each agent's copies against each other agent's."""
        if self.sides == 1:
            yield from ((agent,) * self.players for agent in range(len(self.agents)))
            return
        for first, second in permutations(range(len(self.agents)), 2):
            yield copies_of(first, second, per_team=self.per_team)

    def match(self, number: int, teams: tuple[Team, Team]) -> Iterator[Job]:
        """Both teams of a match."""
        chance = np.random.default_rng(self.number("seats", number))
        a, b = (tuple(int(agent) for agent in chance.permutation(team)) for team in teams)
        seatings = (a, b) if self.sides == 1 else (tuple(line_up(a, b)), tuple(line_up(b, a)))
        for side, seats in zip((SIDE_A, SIDE_B), seatings, strict=True):
            yield self._job(number, side, seats, self.number("match", number))

    def number(self, *names: str | int) -> int:
        """A seed that depends on these names and the tournament's alone."""
        text = "\0".join(map(str, ("tournament", self.seed, *names)))
        return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1

    def _job(self, match: int, side: str, seats: tuple[int, ...], seed: int) -> Job:
        members = tuple(self.agents[agent] for agent in seats)
        copies = side == COPIES
        what = f"round {match + 1} with copies" if copies else f"match {match + 1}"
        of_copies = "-".join(f"{agent:02d}" for agent in seats[: self.sides])
        number = f"{match:03d}-{of_copies}" if copies else f"{match:03d}"
        return Job(
            key=(match, side, _seats_text(seats)),
            says=f"{what}: {' '.join(dict.fromkeys(members))}",
            members=members,
            seed=seed,
            deals=range(self.games),
            file=f"games/{number}-{side}.safetensors",
        )


class TeamGame(NamedTuple):
    """A line of games.csv: one team's game on one deal."""

    match: int  # number of the match; of self-play, the round
    side: str  # a or b; "copies": self-play
    seats: str  # the agents' numbers in seat order, for example 4-0-7
    seed: int  # of the match; with the game's number it names the deal
    game: int
    score: float
    length: int
    facts: Mapping[str, float]
    forfeit: str


Teams = Mapping[Key, list[TeamGame]]  # by (match, side, seats)


def copies_of(*agents: int, per_team: int) -> tuple[int, ...]:
    """The seats of a team of copies of each agent."""
    return tuple(line_up(*((agent,) * per_team for agent in agents)))


def copies_key(number: int, *agents: int, per_team: int) -> tuple[int, str, str]:
    """Under which the games of teams of copies in one round are kept."""
    return number, COPIES, _seats_text(copies_of(*agents, per_team=per_team))


def _seats_text(seats: Sequence[int]) -> str:
    return "-".join(map(str, seats))


def seats_of(job: Job) -> tuple[int, ...]:
    """The agents' numbers in seat order."""
    return tuple(map(int, job.key[2].split("-")))
