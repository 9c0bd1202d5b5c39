"""Ad-hoc teams as the Hanabi challenge defines them (Bard et al. 2020, section 3.3).

In a trial an agent is given some self-play games of a hold-out team, plays one game in place of one of its members, in
a random seat, and forgets. A thousand trials per team, with a hundred different sets of games; beside the score stands
what the team reaches by itself, here on the same deals. An agent that makes nothing of games just plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coplay.games import make
from coplay.measure import MeasureError
from coplay.measure.adhoc.result import AdHoc, AdHocFolder, AdHocRun, Trial, sum_up
from coplay.measure.adhoc.trials import Trials, meeting, team_alone
from coplay.measure.study.cast import Named, Several, cast, names_of
from coplay.measure.study.folder import place_for
from coplay.measure.study.partners import check_partners, default_partners
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import Say, carry_on, finished, quiet
from coplay.measure.study.validate import whole
from coplay.rollouts.where import On

__all__ = ["AdHoc", "AdHocFolder", "Trial", "adhoc", "read_adhoc", "team_alone"]


def adhoc(
    game: Any,
    agent: Named,
    partners: Several | None = None,
    trials: int = 1000,
    sets: int = 100,
    observe: Sequence[int] = (10,),
    seed: int = 0,
    *,
    out: str | Path | None = None,
    name: str | None = None,
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    say: Say = quiet,
) -> AdHoc:
    """Plays trials with every team and every number of observed games; with `out` the same call goes on there."""
    game = make(game)
    plan = Trials(game, whole("trials", trials, 1), whole("sets", sets, 1), whole("seed", seed, 0), move_seconds)
    if sets > trials:
        raise MeasureError(f"sets={sets} but only {trials} trials: some sets would never be used. Take fewer sets.")
    amounts = tuple(sorted({whole("observe", amount, 0) for amount in observe}))
    if not amounts:
        raise MeasureError("observe is empty; say how many games of the team the agent is given, for example 10.")
    called = name or names_of([agent])[0][0]
    others = default_partners(game, agent if isinstance(agent, str) else "") if partners is None else partners
    teams = tuple(team for team, _ in names_of(others))
    check_partners(called, teams)
    everyone = cast(game, {called: agent, **dict(names_of(others))})
    asked = {"agent": called, "partners": teams, "trials": trials, "sets": sets, "observe": amounts, "seed": seed}
    run = AdHocRun.of(game, everyone, format=AdHocFolder.format, move_seconds=move_seconds, **asked)
    folder = AdHocFolder(place_for(out))
    done = carry_on(folder, run, run.jobs, meeting(plan, called, everyone, on), say)
    return sum_up(folder, folder.run(), done)


def read_adhoc(where: AdHocFolder | str | Path) -> AdHoc:
    """The result of a run folder."""
    folder = where if isinstance(where, AdHocFolder) else AdHocFolder(where)
    run = folder.run()
    return sum_up(folder, run, finished(folder, run.jobs))
