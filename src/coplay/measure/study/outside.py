"""Measures that come from elsewhere: a class with a plan and a summary, found by entry point or in a file.

    class Loyalty:
        '''How much more does an agent score with its own copies?'''

        def plan(self, game, agents):                # who sits together, in seat order
            return [(a, *[b] * (game.players - 1)) for a in agents for b in agents]

        def summarise(self, game, agents, scores):   # scores: team -> float [games]
            ...                                      # a frozen dataclass, or anything that `repr` shows

        def sections(self, summary):                 # optional: [(title, HTML), …] of its page
            ...

`coplay measure loyalty AGENT…` plays the plan in a run folder that goes on where it stopped, and writes a page. A
package names its measures under the entry point `coplay.measures`; a file is named as `file:loyalty.py:Loyalty`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from coplay.game import Game
from coplay.games import make
from coplay.measure import MeasureError
from coplay.measure.study.cast import Several, cast
from coplay.measure.study.endings import Ending
from coplay.measure.study.folder import Folder, Key, place_for
from coplay.measure.study.playing import Venue, playing
from coplay.measure.study.run import MOVE_SECONDS, GameRun
from coplay.measure.study.runner import Job, Say, carry_on, quiet
from coplay.measure.study.validate import whole
from coplay.registry import attribute, from_file, plugins
from coplay.rollouts.where import On
from coplay.specs import parse, unknown

Team = tuple[str, ...]
GROUP = "coplay.measures"


class Measure(Protocol):
    """One question asked of agents."""

    def plan(self, game: Any, agents: Sequence[str]) -> Sequence[Team]:
        """The teams that play, every one on the same deals."""
        ...

    def summarise(self, game: Any, agents: Sequence[str], scores: Mapping[Team, np.ndarray]) -> Any:
        """What their scores say; team -> float [games]."""
        ...


@dataclasses.dataclass(frozen=True, kw_only=True)
class MeasureRun(GameRun):
    """What was asked."""

    measure: str
    agents: tuple[str, ...]
    teams: tuple[Team, ...]
    games: int  # of every team

    @property
    def jobs(self) -> list[Job]:
        """The plan: a job for every team."""
        return [
            Job((number,), ", ".join(team), team, self.seed, range(self.games), f"games/{number:03d}.safetensors")
            for number, team in enumerate(self.teams)
        ]


class PlannedGame(NamedTuple):
    """A line of games.csv."""

    team: int  # its number in the plan
    seed: int
    game: int
    score: float
    length: int
    facts: Mapping[str, float]
    forfeit: str


class MeasureFolder(Folder[PlannedGame, MeasureRun]):
    """The folder of a measure from elsewhere."""

    format, what, command = "coplay measure 1", "run of a measure", "coplay measure NAME AGENT…"
    row, asked, key = PlannedGame, MeasureRun, ("team",)


@dataclasses.dataclass(frozen=True)
class Answer:
    """What a measure found, and where its games are."""

    measure: Measure
    summary: Any
    run: MeasureRun
    folder: Path
    games: Mapping[Key, list[PlannedGame]]


def find_measure(name: str) -> Measure:
    """The measure that a name or a file stands for."""
    if parse(name).prefix == "file":
        needs = "plan and summarise methods; see docs/own.md"
        return from_file(parse(name).place, MeasureError, lambda one: hasattr(one, "plan"), "measure", needs)()
    known = plugins(GROUP)
    if name not in known:
        raise MeasureError(unknown("measure", name, known, "; your own: file:PATH:CLASS"))
    return attribute(known[name], MeasureError)()


def ask(
    name: str,
    game: Any,
    agents: Several,
    out: str | Path | None = None,
    games: int = 100,
    seed: int = 0,
    say: Say = quiet,
    move_seconds: float = MOVE_SECONDS,
    on: On = 1,
) -> Answer:
    """Plays what the folder `out` does not hold yet, and sums it up."""
    game = make(game)
    whole("games", games, 1)
    whole("seed", seed, 0)
    measure, everyone = find_measure(name), cast(game, agents)
    teams = _teams(name, measure, game, everyone.names)
    asked = {"measure": name, "agents": everyone.names, "teams": tuple(teams), "games": games, "seed": seed}
    run = MeasureRun.of(game, everyone, format=MeasureFolder.format, move_seconds=move_seconds, **asked)
    folder = MeasureFolder(place_for(out))
    venue = Venue(game, everyone, _row, move_seconds)
    done = carry_on(folder, run, run.jobs, playing(venue, on), say)
    scores = {team: np.array([row.score for row in done[number,]]) for number, team in enumerate(teams)}
    summary = measure.summarise(game, everyone.names, scores)
    return Answer(measure, summary, folder.run(), folder.path, done)


def _row(job: Job, ending: Ending) -> PlannedGame:
    (number,) = job.key
    return PlannedGame(number, job.seed, *ending)


def _teams(name: str, measure: Measure, game: Game, agents: Sequence[str]) -> list[Team]:
    """The plan, every team once; each must fill the seats with agents that were named."""
    teams = list(dict.fromkeys(tuple(team) for team in measure.plan(game, agents)))
    if not teams:
        raise MeasureError(f"{name} plans no team for {', '.join(agents)}; name more agents.")
    for team in teams:
        strangers = [member for member in team if member not in agents]
        if strangers or len(team) != game.players:
            raise MeasureError(
                f"{name} plans the team {', '.join(team)}; a team of {game.name} has {game.players} of the agents "
                f"{', '.join(agents)}."
            )
    return teams
