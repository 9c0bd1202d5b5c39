"""An evaluation that ends by itself: twice as many games again and again, until the mean with the partners is known.

A deal is one value, its mean over all teams with a partner: all of them meet it, so a game that is easy for everybody
tells nothing twice. The interval holds however often somebody looks (`coplay.measure.sequential`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun, Teams
from coplay.measure.sequential import anytime_mean
from coplay.measure.stats import Estimate
from coplay.measure.study.runner import Say

FIRST = 8  # games of every team before the first look


def check_until(game: Game, until: float) -> None:
    if not until > 0:
        raise MeasureError(f"until={until}: say to how many points, above 0, the mean is to be known either way.")
    if game.max_score is None:
        raise MeasureError(f"until={until:g}: {game.name} has no highest score, without which no early end is safe.")


def known_mean(run: EvaluationRun, teams: Teams) -> Estimate:
    """The mean with the partners, in an interval that may be looked at after every game."""
    scores = [[row.score for row in rows] for (partner, _), rows in teams.items() if partner != run.agent]
    return anytime_mean(np.mean(scores, axis=0), 0.0, run.max_score)


def stages(most: int, there: int) -> list[int]:
    """How many games of every team are played before each look; those before `there` were looked at already."""
    numbers = [FIRST << doubling for doubling in range(64)]
    return [number for number in numbers if there <= number < most] + [most]


def go_on_until(
    play: Callable[[int], tuple[EvaluationRun, Teams]], folder: EvaluationFolder, until: float, most: int, say: Say
) -> None:
    """Plays with more and more games until enough is known, or there are so many."""
    there = _there(folder, until)
    for games in stages(max(most, there), there):
        run, teams = play(games)
        known = known_mean(run, teams)
        half = (known.high - known.low) / 2
        say(f"{games} games of every team: mean {known.value:.2f}, known to {half:.2f} points; {until:g} are wanted")
        if half <= until:
            return


def _there(folder: EvaluationFolder, until: float) -> int:
    """How many games of every team a folder of this kind is at."""
    if not (Path(folder.path) / "run.json").is_file():
        return 0
    run = folder.run()
    return run.games if run.until == until else 0
