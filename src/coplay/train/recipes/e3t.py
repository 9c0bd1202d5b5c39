"""E3T (Yan et al. 2023) in one stage: the partner is the learner itself, but makes any move now and then.

As in ZSC-Eval, without the original's module that predicts the partner's moves.
"""

from __future__ import annotations

import dataclasses

from coplay.train.learner.partners import Block, Fellow, Partners
from coplay.train.recipe import Context, LearnerSettings, Plan, learner_plan
from coplay.train.settings import TrainError


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    slips: float = 0.5  # share of the partner's moves that are any legal move

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.slips <= 1:
            raise TrainError(f"slips={self.slips!r}: a share of the moves, between 0 and 1.")


def plan(context: Context, settings: Settings) -> Plan:
    itself = Fellow(tuple(range(context.seeds)), settings.slips)
    block = Block((itself,) * (context.game.players - 1), settings.games * context.seeds, copies=context.seeds)
    return learner_plan(context, settings, Partners((block,)))
