"""Cross-play: every agent with every other, on the same deals."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.games import make
from coplay.measure.study.cast import Named, Several, cast, names_of
from coplay.measure.study.endings import Ending
from coplay.measure.study.folder import Folder, Key, place_for
from coplay.measure.study.playing import Venue, playing
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import MOVE_SECONDS, GameRun
from coplay.measure.study.runner import Job, Say, carry_on, finished, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.where import On

PAIRS = "pairs"
Seats = tuple[int, ...]  # the agents' numbers in seat order


@dataclasses.dataclass(frozen=True, kw_only=True)
class CrossPlayRun(GameRun):
    """What was asked: pairs, or teams of at most so many different agents."""

    agents: tuple[str, ...]
    teams: str
    games: int  # of every team
    seats: tuple[Seats, ...]  # every team that plays

    @property
    def jobs(self) -> list[Job]:
        """The plan: a job for every team."""
        return [
            Job(
                key=(_text(team),),
                says=", ".join(self.agents[agent] for agent in team),
                members=tuple(self.agents[agent] for agent in team),
                seed=self.seed,
                deals=range(self.games),
            )
            for team in self.seats
        ]


class TeamGame(NamedTuple):
    """A line of games.csv."""

    seats: str  # the agents' numbers in seat order, for example 4-0-7
    seed: int
    game: int  # same seed and number, same deal
    score: float
    length: int
    facts: Mapping[str, float]
    forfeit: str


class CrossPlayFolder(Folder[TeamGame, CrossPlayRun]):
    """The folder of cross-play."""

    format, what, command = "coplay crossplay 1", "cross-play", "coplay crossplay AGENT…"
    row, asked, key = TeamGame, CrossPlayRun, ("seats",)


class PlayedTeams(NamedTuple):
    """The games of cross-play, all of them."""

    folder: CrossPlayFolder
    run: CrossPlayRun
    games: Mapping[Key, list[TeamGame]]

    def scores(self, team: Seats) -> np.ndarray:
        """float [games]"""
        return np.array([row.score for row in self.games[_text(team),]])

    @property
    def forfeits(self) -> tuple[str, ...]:
        """What was broken off, and why."""
        names = self.run.agents
        return tuple(
            f"{', '.join(names[agent] for agent in team)}: game {row.game}, {row.forfeit}"
            for team in self.run.seats
            for row in self.games[_text(team),]
            if row.forfeit
        )


@dataclasses.dataclass(frozen=True)
class PairScores:
    """One agent in seat 0, copies of another in all the others."""

    first: str
    others: str
    games: int
    mean: float
    standard_error: float  # NaN for a single game
    median: float
    zero: float  # share of games that end with nothing


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class CrossPlay(Result):
    """Scores of ordered pairs: agent i sits in seat 0, agent j in all the others. Larger teams: `team_play`."""

    names: tuple[str, ...]
    pairs: tuple[PairScores, ...]
    forfeits: tuple[str, ...]
    scores: np.ndarray = dataclasses.field(metadata=NOT_IN_JSON)  # float [agents, agents, games]
    run: CrossPlayRun | None = None
    folder: Path | None = dataclasses.field(default=None, metadata=NOT_IN_JSON)

    @classmethod
    def of(cls, names: Sequence[str], scores: np.ndarray, forfeits: Sequence[str] = (), **where: Any) -> CrossPlay:
        """From scores [agents, agents, games]."""
        return cls(tuple(names), tuple(_pairs(names, scores)), tuple(forfeits), scores, **where)

    @property
    def title(self) -> str:
        own = float(np.mean(np.diag(self.mean)))
        others = [self.mean[i, j] for i, j in np.ndindex(self.mean.shape) if i != j]
        mixed = f", {np.mean(others):.2f} with others" if others else ""
        games = self.scores.shape[-1]
        return f"cross-play of {len(self.names)} agents, {games:,} games a pair: {own:.2f} with copies{mixed}"

    def rows(self) -> Rows:
        """A row per ordered pair."""
        return [dataclasses.asdict(pair) for pair in self.pairs]

    @property
    def mean(self) -> np.ndarray:
        """float [agents, agents]"""
        return self.scores.mean(-1)

    @property
    def median(self) -> np.ndarray:
        """float [agents, agents]"""
        return np.median(self.scores, -1)

    @property
    def standard_error(self) -> np.ndarray:
        """float [agents, agents]"""
        games = self.scores.shape[-1]
        return self.scores.std(-1, ddof=1) / np.sqrt(games) if games > 1 else np.full(self.scores.shape[:2], np.nan)


def _pairs(names: Sequence[str], scores: np.ndarray) -> Iterator[PairScores]:
    games = scores.shape[-1]
    for (i, first), (j, others) in product(enumerate(names), enumerate(names)):
        mine = scores[i, j]
        error = float(mine.std(ddof=1)) / math.sqrt(games) if games > 1 else math.nan
        zero = float((mine == 0).mean())
        yield PairScores(first, others, games, float(mine.mean()), error, float(np.median(mine)), zero)


def crossplay(
    game: Any,
    agents: Several,
    games: int = 1000,
    seed: int = 0,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    *,
    out: str | Path | None = None,
    say: Say = quiet,
) -> CrossPlay:
    """Plays every ordered pair of agents; the diagonal is self-play. `on` says where: `local:8` processes, `ray`.

    `agents` is a list of specs and objects, or a dict from names to them. With `out` the same call goes on there.
    """
    game, agents = make(game), told_apart(agents)
    count = len(agents)
    teams = [(i, *[j] * (game.players - 1)) for i in range(count) for j in range(count)]
    return pairs_of(play_teams(game, agents, PAIRS, teams, games, seed, on, move_seconds, out, say))


def read_crossplay(where: CrossPlayFolder | str | Path) -> CrossPlay:
    """The result of a run folder of pairs."""
    return pairs_of(played_teams(where))


def pairs_of(found: PlayedTeams) -> CrossPlay:
    names = found.run.agents
    scores = np.array([found.scores(team) for team in found.run.seats])
    scores = scores.reshape(len(names), len(names), -1)
    return CrossPlay.of(names, scores, found.forfeits, run=found.run, folder=found.folder.path)


def play_teams(
    game: Any,
    agents: Several,
    kind: str,
    teams: Sequence[Seats],
    games: int,
    seed: int,
    on: On,
    move_seconds: float,
    out: str | Path | None,
    say: Say,
) -> PlayedTeams:
    """Plays what the folder does not hold yet of these teams."""
    whole("games", games, 1)
    whole("seed", seed, 0)
    everyone = cast(game, told_apart(agents))
    asked = {"agents": everyone.names, "teams": kind, "games": games, "seed": seed, "seats": tuple(teams)}
    run = CrossPlayRun.of(game, everyone, format=CrossPlayFolder.format, move_seconds=move_seconds, **asked)
    folder = CrossPlayFolder(place_for(out))
    venue = Venue(game, everyone, _row, move_seconds)
    done = carry_on(folder, run, run.jobs, playing(venue, on), say)
    return PlayedTeams(folder, folder.run(), done)


def played_teams(where: CrossPlayFolder | str | Path) -> PlayedTeams:
    """The games of a folder; all must be there."""
    folder = where if isinstance(where, CrossPlayFolder) else CrossPlayFolder(where)
    run = folder.run()
    return PlayedTeams(folder, run, finished(folder, run.jobs))


def told_apart(agents: Several) -> dict[str, Named]:
    """Agents by name; the second of a name becomes `name 2`: seeds of one run are called alike."""
    found: dict[str, Named] = {}
    for name, agent in names_of(agents):
        number = 1 + sum(other == name or other.startswith(f"{name} ") for other in found)
        found[name if number == 1 else f"{name} {number}"] = agent
    return found


def _row(job: Job, ending: Ending) -> TeamGame:
    (seats,) = job.key
    return TeamGame(seats, job.seed, *ending)


def _text(team: Seats) -> str:
    return "-".join(map(str, team))
