"""Evaluations that nobody played: games with the scores that a test asks for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coplay.game import Game
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun, GameRow
from coplay.measure.evaluated.play import EvaluationGames
from coplay.measure.evaluation import Evaluation, sum_up
from coplay.measure.study.cast import Cast

GAMES = 2


def made_up(
    game: Game, own: float, scores: Mapping[str, float | Mapping[str, float]], agent: str = "mine", **changed: Any
) -> Evaluation:
    """An agent that always scores `own` alone, and with a partner one number, or one for each seating."""
    asked = {"agent": agent, "partners": tuple(scores), "seatings": "each", "games": GAMES, "seed": 0}
    run = EvaluationRun.of(game, Cast({}, {}), format=EvaluationFolder.format, **asked)
    teams = {}
    for team in run.teams:
        found = own if team.is_selfplay else scores[team.partner]
        score = found if isinstance(found, float | int) else found[team.seating]
        row = GameRow(agent, team.partner, team.seating, 0, 0, float(score), 9, {}, "")
        teams[team.partner, team.seating] = [row._replace(game=number) for number in range(GAMES)]
    return sum_up(EvaluationGames(EvaluationFolder(Path("nowhere")), dataclasses.replace(run, **changed), teams))
