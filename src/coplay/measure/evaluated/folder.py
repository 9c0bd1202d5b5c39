"""The folder of an evaluation: what was asked, a row per game, and the teams that its settings stand for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

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
