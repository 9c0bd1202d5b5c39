"""An agent with its own copies and with every partner, in every seating, on the same deals: one row per game."""

from __future__ import annotations

import dataclasses
import os
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from coplay.agents.spec import agent as make_agent
from coplay.game import Game
from coplay.games import make
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun, GameRow, Teams
from coplay.measure.evaluated.until import check_until, go_on_until
from coplay.measure.study.cast import Cast, Named, Several, cast, names_of
from coplay.measure.study.endings import Ending
from coplay.measure.study.partners import check_partners, default_partners
from coplay.measure.study.playing import Venue, nothing, playing
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import Job, Say, carry_on, finished, quiet
from coplay.measure.study.validate import whole
from coplay.player import answers_for_many
from coplay.rollouts.team import is_policy
from coplay.rollouts.where import On

MOST_JOBS = 4  # by default: every process takes a gigabyte


class EvaluationGames(NamedTuple):
    """The games of an evaluation, all of them."""

    folder: EvaluationFolder
    run: EvaluationRun
    teams: Teams


def played(where: EvaluationFolder | str | Path) -> EvaluationGames:
    """Those of a folder; all must be there."""
    folder = where if isinstance(where, EvaluationFolder) else EvaluationFolder(where)
    run = folder.run()
    return EvaluationGames(folder, run, finished(folder, run.jobs))


def play_evaluation(
    game: Any,
    agent: Named,
    out: str | Path,
    partners: Several | None = None,
    games: int = 1000,
    seed: int = 0,
    seatings: str = "each",
    pool: str = "default",
    on: On = 1,
    say: Say = quiet,
    beside: Any = None,
    name: str | None = None,
    move_seconds: float = MOVE_SECONDS,
    until: float | None = None,
) -> EvaluationGames:
    """Plays what the folder `out` does not hold yet; nothing is written before every agent has been made.

    With `until` it ends by itself when the mean with the partners is known to so many points either way, and `games`
    are the most.

    `beside(folder)` is done while the teams play. Where `on` names more than one process, others play and do that; they
    make the agents anew from their specs, and those of this machine begin by importing the program that runs (which
    therefore needs its `if __name__ == "__main__":`).
    """
    game = make(game)
    whole("games", games, 1)
    whole("seed", seed, 0)
    called = name or names_of([agent])[0][0]
    own = cast(game, {called: agent})
    met = _partners(game, called, agent, partners, pool)
    everyone = Cast({**own.players, **met.players}, {**own.specs, **met.specs})
    asked = {"agent": called, "partners": met.names, "seatings": seatings, "games": games, "seed": seed, "until": until}
    run = EvaluationRun.of(game, everyone, format=EvaluationFolder.format, move_seconds=move_seconds, **asked)
    folder = EvaluationFolder(out)
    venue = Venue(game, everyone, partial(_row, called), move_seconds)
    work = nothing if beside is None else partial(beside, folder)
    play = playing(venue, on, work, threaded=is_policy(own.players[called]))

    def of_each_team(number: int) -> tuple[EvaluationRun, Teams]:
        mine = dataclasses.replace(run, games=number)
        return mine, carry_on(folder, mine, mine.jobs, play, say)

    if until is not None:
        check_until(game, until)
        go_on_until(of_each_team, folder, until, games, say)
        return played(folder)
    _, teams = of_each_team(games)
    return EvaluationGames(folder, folder.run(), teams)


def _row(agent: str, job: Job, ending: Ending) -> GameRow:
    partner, seating = job.key
    return GameRow(agent, partner, seating, job.seed, *ending)


def _partners(game: Game, called: str, agent: Named, partners: Several | None, pool: str) -> Cast:
    """Those that were named, or those of the pool."""
    if partners is None:
        return cast(game, default_partners(game, agent if isinstance(agent, str) else "", pool))
    check_partners(called, [name for name, _ in names_of(partners)])
    return cast(game, partners)


def usual_jobs(game: Game, agent: str) -> int:
    """Processes for an evaluation: one for compiled agents and those that answer for many games at once, which use
    several cores or a server of their own; other plain agents do not."""
    made = make_agent(agent, game)
    alone = is_policy(made) or answers_for_many(made)
    return 1 if alone else min(os.cpu_count() or 1, MOST_JOBS)
