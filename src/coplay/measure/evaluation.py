"""`coplay.evaluate`: how good is an agent, with whom, how sure? As a result to look at, to save and to go on with."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coplay.game import Game
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun, Teams
from coplay.measure.evaluated.play import EvaluationGames, play_evaluation, played
from coplay.measure.evaluated.proximity import Proximity, evaluated_proximity
from coplay.measure.evaluated.scores import (
    METHOD,
    OverallScores,
    PartnerScores,
    Scores,
    overall_scores,
    own_scores,
    partner_scores,
)
from coplay.measure.evaluated.twins import twins_of
from coplay.measure.study.cast import Named, Several
from coplay.measure.study.folder import place_for
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.measure.study.run import MOVE_SECONDS
from coplay.rollouts.where import On


@dataclasses.dataclass(frozen=True, repr=False)
class Evaluation(Result):
    """An agent among partners; the games lie in `folder`, of which `coplay report` makes a page."""

    run: EvaluationRun
    method: str
    self_play: Scores
    overall: OverallScores
    partners: tuple[PartnerScores, ...]
    twins: Mapping[str, str]  # partner -> the one that it plays like, move for move; `overall` counts them once
    proximity: Proximity | None  # to best responses; None where no partner has a known one
    folder: Path = dataclasses.field(compare=False, metadata=NOT_IN_JSON)
    games: Teams = dataclasses.field(compare=False, metadata=NOT_IN_JSON)  # every game, by (partner, seating)

    @property
    def title(self) -> str:
        count = len(self.partners)
        whom = f"{count} partner{'s'[: count != 1]}"
        alone = f"{self.self_play.mean.value:.2f} alone"
        return f"{self.run.agent} in {self.run.game}: {self.overall.mean.short()} with {whom}, {alone}"

    def rows(self) -> Rows:
        """A row for its own copies, for every partner, and for all of them together."""
        lines = [("its own copies", self.self_play), *((met.partner, met) for met in self.partners)]
        return [_row(name, scores) for name, scores in [*lines, ("all partners", self.overall)]]


def evaluate(
    game: str | Game,
    agent: Named,
    partners: Several | None = None,
    games: int = 1000,
    seed: int = 0,
    *,
    out: str | Path | None = None,
    name: str | None = None,
    seatings: str = "each",
    pool: str = "default",
    on: On = 1,
    move_seconds: float = MOVE_SECONDS,
    until: float | None = None,
) -> Evaluation:
    """Plays an agent with its own copies and with every partner, in every seat, on the same deals.

    Agents are specs or objects with an `act` method; `partners` is a list, or a dict from names to agents. Without
    partners it meets those of the pool. With `out` the games are kept there, and the same call goes on. With `until` it
    ends by itself when the mean with the partners is known to so many points either way; `games` are then the most.
    """
    settings: dict[str, Any] = {"name": name, "seatings": seatings, "pool": pool, "on": on, "until": until}
    settings["move_seconds"] = move_seconds
    return sum_up(play_evaluation(game, agent, place_for(out), partners, games, seed, **settings))


def read_evaluation(folder: EvaluationFolder | str | Path) -> Evaluation:
    """The result of a run folder."""
    return sum_up(played(folder))


def sum_up(found: EvaluationGames) -> Evaluation:
    """What the games of an evaluation say."""
    folder, run, teams = found
    twins = twins_of(run, teams, folder.path)
    return Evaluation(
        run=run,
        method=METHOD,
        self_play=own_scores(run, teams),
        overall=overall_scores(run, teams, twins),
        partners=partner_scores(run, teams),
        twins=twins,
        proximity=evaluated_proximity(run, teams, twins),
        folder=folder.path,
        games=teams,
    )


def _row(partner: str, one: Scores) -> dict[str, object]:
    mean = one.mean
    row = {"partner": partner, "games": one.n, "mean": mean.value, "low": mean.low, "high": mean.high}
    return row | {"median": one.median.value, "zero": one.zero, "perfect": one.perfect, "forfeits": one.forfeits}
