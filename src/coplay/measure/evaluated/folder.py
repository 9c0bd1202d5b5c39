"""The folder of an evaluation: what was asked, a row per game, and the teams that its settings stand for."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import NamedTuple

from coplay.files import write_whole
from coplay.measure.study.folder import Folder, Key
from coplay.measure.study.run import GameRun
from coplay.measure.study.runner import Job
from coplay.measure.study.seatings import AGENT, Configuration, configurations


@dataclasses.dataclass(frozen=True, kw_only=True)
class EvaluationRun(GameRun):
    """What was asked of an evaluation."""

    agent: str
    partners: tuple[str, ...]
    seatings: str
    games: int  # of every team
    until: float | None = None  # it ends by itself when the mean is known to so many points either way; games so far

    @property
    def teams(self) -> list[Configuration]:
        """Self-play first, then partner by partner."""
        return configurations(self.agent, self.partners, self.players, self.seatings)

    @property
    def jobs(self) -> list[Job]:
        """The plan: a job for every team."""
        return [
            Job(
                key=(team.partner, team.seating),
                says=f"{team.seating} with {team.partner}",
                members=tuple(self.agent if letter == AGENT else team.partner for letter in team.seating),
                seed=self.seed,
                deals=range(self.games),
                file=team.file,
            )
            for team in self.teams
        ]


class GameRow(NamedTuple):
    """A line of games.csv."""

    agent: str
    partner: str
    seating: str
    seed: int
    game: int  # same seed and number, same deal
    score: float
    length: int
    facts: Mapping[str, float]  # what else the world of the game tells of its end
    forfeit: str  # who broke the game off and why; else empty


Teams = Mapping[Key, list[GameRow]]  # by (partner, seating), in the order of the plan


class EvaluationFolder(Folder[GameRow, EvaluationRun]):
    """The folder of an evaluation."""

    format, what, command = "coplay evaluation 1", "evaluation", "coplay evaluate AGENT"
    row, asked, key = GameRow, EvaluationRun, ("partner", "seating")

    def begin(self, run: EvaluationRun) -> None:
        """One that ends by itself grows: it may hold fewer games than are asked for now."""
        there = self.run() if run.until is not None and (self / "run.json").exists() else run
        if there.until != run.until or there.games >= run.games:
            super().begin(run)
            return
        super().begin(dataclasses.replace(run, games=there.games))  # all else is the same
        write_whole(self / "run.json", json.dumps(self._run_json() | {"games": run.games}, indent=1) + "\n")
