"""A drop-in tournament: agents that never met are mixed into teams, and two teams play the same deals.

The measures are those of `teamwork` (MacAlpine and Stone 2017). One drop-in game of the paper is a **match** here: both
teams play the match's deals, each in a random seating, and the goal difference is the mean difference of their scores
over these deals, so that it reads in points per deal whatever the number of deals. Every match has deals of its own:
matches that share deals would share their luck, which the intervals could not know. Skill comes from teams of copies,
which all play one common set of deals.

In a game of two sides the teams of a match meet on the pitch, as in the paper: every deal is played twice, once with
each team as the first side. Skill then comes from the copies of every two agents against each other, as in its Table 1.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coplay.game import Game
from coplay.games import make
from coplay.measure import MeasureError
from coplay.measure.dropin.games import assignments, check_sizes
from coplay.measure.dropin.schedule import schedule
from coplay.measure.study.cast import Several, cast, names_of
from coplay.measure.study.endings import Ending
from coplay.measure.study.folder import Folder, Key
from coplay.measure.study.playing import Venue, playing
from coplay.measure.study.run import MOVE_SECONDS, GameRun
from coplay.measure.study.runner import Job, Say, carry_on, finished, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.where import On
from coplay.sides import line_up, per_side, sides_of

MATCHES = 100  # unless more are needed until everyone has met everyone
ROUNDS = 10  # of self-play, each as many deals as a match: 100 deals a match are the 1,000 games papers ask for
COPIES, SIDE_A, SIDE_B = "copies", "a", "b"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TournamentRun(GameRun):
    """What was asked."""

    agents: tuple[str, ...]
    games: int  # deals of a match
    matches: int
    rounds: int  # of self-play
    sides: int = 1  # 2: the teams of a match play against each other

    two_sides: ClassVar[bool] = True

    @property
    def per_team(self) -> int:
        return self.players // self.sides

    @property
    def jobs(self) -> list[Job]:
        """The plan: every team that plays."""
        return [*self._selfplay(), *self._matches()]

    def _selfplay(self) -> Iterator[Job]:
        """Rounds outermost: an early stop has seen every agent. All agents meet the deals of a round."""
        for number in range(self.rounds):
            seed = _number(self.seed, COPIES, number)
            for seats in self._of_copies():
                yield self._job(number, COPIES, seats, seed)

    def _of_copies(self) -> Iterator[tuple[int, ...]]:
        """A team of each agent's copies; of two sides, each agent's copies against each other agent's."""
        if self.sides == 1:
            yield from ((agent,) * self.players for agent in range(len(self.agents)))
            return
        for first, second in permutations(range(len(self.agents)), 2):
            yield copies_of(first, second, per_team=self.per_team)

    def _matches(self) -> Iterator[Job]:
        for number, teams in enumerate(schedule(len(self.agents), self.per_team, self.seed, self.matches)):
            chance = np.random.default_rng(_number(self.seed, "seats", number))
            a, b = (tuple(int(agent) for agent in chance.permutation(team)) for team in teams)
            seatings = (a, b) if self.sides == 1 else (tuple(line_up(a, b)), tuple(line_up(b, a)))
            for side, seats in zip((SIDE_A, SIDE_B), seatings, strict=True):
                yield self._job(number, side, seats, _number(self.seed, "match", number))

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


class TournamentFolder(Folder[TeamGame, TournamentRun]):
    """The folder of a tournament."""

    format, what, command = "coplay tournament 1", "tournament", "coplay tournament AGENT…"
    row, asked, key = TeamGame, TournamentRun, ("match", "side", "seats")


class PlayedTournament(NamedTuple):
    """The games of a tournament, all of them."""

    folder: TournamentFolder
    run: TournamentRun
    teams: Teams


def played_tournament(where: TournamentFolder | str | Path) -> PlayedTournament:
    """Those of a folder; all must be there."""
    folder = where if isinstance(where, TournamentFolder) else TournamentFolder(where)
    run = folder.run()
    return PlayedTournament(folder, run, finished(folder, run.jobs))


def play_tournament(
    game: Any,
    agents: Several,
    out: str | Path,
    games: int = 100,
    matches: int | None = None,
    seed: int = 0,
    say: Say = quiet,
    move_seconds: float = MOVE_SECONDS,
    on: On = 1,
) -> PlayedTournament:
    """Plays what the folder `out` does not hold yet; nothing is written before every agent has been made."""
    game = make(game)
    whole("games", games, 1)
    whole("seed", seed, 0)
    names = [name for name, _ in names_of(agents)]
    _check_agents(names, game)
    matches = default_matches(len(names), per_side(game), seed) if matches is None else whole("matches", matches, 1)
    everyone = cast(game, agents)
    sides = sides_of(game)
    asked = {"agents": tuple(names), "games": games, "matches": matches, "seed": seed, "sides": sides}
    asked["rounds"] = ROUNDS if sides == 1 else 1  # every two agents meet: that is rounds enough
    run = TournamentRun.of(game, everyone, format=TournamentFolder.format, move_seconds=move_seconds, **asked)
    folder = TournamentFolder(out)
    venue = Venue(game, everyone, _row, move_seconds)
    teams = carry_on(folder, run, run.jobs, playing(venue, on), say)
    return PlayedTournament(folder, folder.run(), teams)


def _row(job: Job, ending: Ending) -> TeamGame:
    match, side, seats = job.key
    return TeamGame(match, side, seats, job.seed, *ending)


def default_matches(n_agents: int, per_team: int, seed: int = 0) -> int:
    """All assignments of agents to teams where there are at most 100; else 100, or until all have met all."""
    existing = assignments(n_agents, check_sizes(n_agents, per_team))
    return existing if existing <= MATCHES else max(MATCHES, len(schedule(n_agents, per_team, seed)))


def _check_agents(agents: Sequence[str], game: Game) -> None:
    check_sizes(len(agents), per_side(game))
    for place, spec in enumerate(agents):
        if spec in agents[:place]:
            raise MeasureError(f"{spec} is named twice; name every agent of a tournament once.")


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


def _number(seed: int, *names: str | int) -> int:
    """A seed for `play` that depends on these names alone."""
    text = "\0".join(map(str, ("tournament", seed, *names)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big") >> 1
