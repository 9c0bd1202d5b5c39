"""Everything about the behaviour of a pool: each agent with its own copies, and recorded games beside them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.faces import Conventions, NumberTable
from coplay.game import Game
from coplay.games import make
from coplay.measure import MeasureError, diversity
from coplay.measure.behaviour.population import Features, Map, as_features, face_of, policy_distance, pool_map
from coplay.measure.predict import contents_of
from coplay.measure.stats import Estimate
from coplay.measure.study.cast import Several, cast
from coplay.measure.study.endings import Ending
from coplay.measure.study.folder import Folder, place_for
from coplay.measure.study.playing import Venue, playing
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import MOVE_SECONDS, GameRun
from coplay.measure.study.runner import Job, Say, carry_on, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import load
from coplay.rollouts.where import On

READ = 50  # games per agent that the reader of conventions goes through


@dataclasses.dataclass(frozen=True, kw_only=True)
class BehaviourRun(GameRun):
    """What was asked."""

    agents: tuple[str, ...]
    games: int  # of every agent with its own copies
    recorded: Mapping[str, str]  # what recorded games are called -> a hash of them
    distance: bool

    @property
    def jobs(self) -> list[Job]:
        """The plan: a job for every agent."""
        return [
            Job(
                key=(name,),
                says=name,
                members=(name,) * self.players,
                seed=self.seed,
                deals=range(self.games),
                file=f"games/{number:03d}.safetensors",
            )
            for number, name in enumerate(self.agents)
        ]


class OwnGame(NamedTuple):
    """A line of games.csv: an agent among its own copies."""

    agent: str
    seed: int
    game: int
    score: float
    length: int
    facts: Mapping[str, float]
    forfeit: str


class BehaviourFolder(Folder[OwnGame, BehaviourRun]):
    """The folder of behaviour."""

    format, what, command = "coplay behaviour 1", "behaviour of a pool", "coplay behaviour AGENT…"
    row, asked, key = OwnGame, BehaviourRun, ("agent",)


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class MemberBehaviour(Result):
    """One agent, or one set of recorded games."""

    name: str
    games: int
    mean_score: float
    rates: Mapping[str, Estimate]
    episodes: Episodes = dataclasses.field(metadata=NOT_IN_JSON)
    tables: tuple[NumberTable, ...] = dataclasses.field(metadata=NOT_IN_JSON)
    # None where nobody can read any in these games
    conventions: Conventions | None = dataclasses.field(metadata=NOT_IN_JSON)

    @property
    def features(self) -> Features:
        return as_features(self.rates)

    @property
    def title(self) -> str:
        return f"{self.name}: {len(self.rates)} rates of {self.games:,} games, mean score {self.mean_score:.2f}"

    def rows(self) -> Rows:
        """A row per rate."""
        return [
            {"agent": self.name, "rate": name, "value": one.value, "low": one.low, "high": one.high, "occasions": one.n}
            for name, one in self.rates.items()
        ]


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class PoolBehaviour(Result):
    """The agents and recordings, and what they are to each other."""

    run: BehaviourRun
    members: tuple[MemberBehaviour, ...]
    diversity: float  # det K of everybody
    curve: tuple[diversity.CurveRow, ...]  # the most diverse subset of every size; features scaled to 1 per column
    map: Map | None  # None for a single member
    distance: np.ndarray | None  # float [agents, members]: rows are the members that can be asked, which come first
    folder: Path = dataclasses.field(metadata=NOT_IN_JSON)
    game: Any = dataclasses.field(metadata=NOT_IN_JSON)

    @property
    def title(self) -> str:
        names = ", ".join(member.name for member in self.members)
        return f"behaviour of {names} in {self.run.game}: diversity {self.diversity:.3g}"

    def rows(self) -> Rows:
        """A row per member and rate."""
        return [row for member in self.members for row in member.rows()]


def behaviour(
    game: Any,
    agents: Several,
    games: int = 200,
    seed: int = 0,
    recorded: Mapping[str, Episodes] | None = None,
    distance: bool = True,
    *,
    out: str | Path | None = None,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    say: Say = quiet,
) -> PoolBehaviour:
    """Every agent plays `games` games with its own copies on the same deals; then all are compared.

    `agents` is a list of specs and objects, or a dict from names to them. With `out` the same call goes on there.
    """
    game = make(game)
    whole("games", games, 1)
    whole("seed", seed, 0)
    recorded = recorded or {}
    everyone = cast(game, agents)
    _check(game, everyone.names, recorded)
    kept = {name: contents_of(episodes) for name, episodes in recorded.items()}
    asked = {"agents": everyone.names, "games": games, "seed": seed, "recorded": kept, "distance": distance}
    run = BehaviourRun.of(game, everyone, format=BehaviourFolder.format, move_seconds=move_seconds, **asked)
    folder = BehaviourFolder(place_for(out))
    venue = Venue(game, everyone, _row, move_seconds)
    carry_on(folder, run, run.jobs, playing(venue, on), say)
    members = [describe(job.key[0], load(folder / job.file, game)) for job in run.jobs]
    members += [describe(name, episodes) for name, episodes in recorded.items()]
    found = np.stack([member.features.values for member in members])
    differ = None
    if distance and everyone.players and len(members) > 1:
        say("asking every agent at the others' decisions")
        differ = policy_distance(list(everyone.players.values()), [member.episodes for member in members], seed)
    curve = tuple(diversity.curve(diversity.scaled(found), seed=seed))
    return PoolBehaviour(
        run=folder.run(),
        members=tuple(members),
        diversity=curve[-1].diversity,
        curve=curve,
        map=pool_map(found) if len(members) > 1 else None,
        distance=differ,
        folder=folder.path,
        game=game,
    )


def _row(job: Job, ending: Ending) -> OwnGame:
    return OwnGame(job.key[0], job.seed, *ending)


def describe(name: str, episodes: Episodes, read: int = READ) -> MemberBehaviour:
    """Everything that can be said about games of one team."""
    face = face_of(episodes.game)
    return MemberBehaviour(
        name=name,
        games=len(episodes),
        mean_score=float(episodes.scores.mean()),
        episodes=episodes,
        rates=face.measure([(episodes, None)]),
        tables=tuple(face.tables(episodes)),
        conventions=face.conventions(episodes, read),
    )


def _check(game: Game, agents: Sequence[str], recorded: Mapping[str, Episodes]) -> None:
    face_of(game)
    if not agents and not recorded:
        raise MeasureError("nobody to look at; name agents or recorded games.")
    for name, episodes in recorded.items():
        if (episodes.game.name, episodes.game.players) != (game.name, game.players):
            raise MeasureError(
                f"{name} holds games of {episodes.game.name} for {episodes.game.players}, but {game.name} for "
                f"{game.players} was asked for. Look at them separately."
            )
