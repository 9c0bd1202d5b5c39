"""HDR-IPPO (AH2AC2): PPO in self-play that starts from a clone and is held near it.

Loss: (1 - kl) x PPO + kl x KL(clone || learner), both means over decisions. `bc=FILE` names the clone.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from coplay.games.game import Game
from coplay.train.partners import Partners
from coplay.train.ppo import Setup
from coplay.train.recipe import Context, LearnerSettings, Plan, stacked_copies
from coplay.train.rollout import Stage
from coplay.train.settings import TrainError
from coplay.train.terms import KLToReference


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    """The network's shape is the clone's; settings of the shape are not read."""

    bc: str = ""
    kl: float = 0.25
    entropy: float = 0.001
    anneal: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.bc:
            raise TrainError("hdr_ippo starts from a clone: --set bc=FILE, an agent that `coplay train bc` made.")
        if not 0 <= self.kl <= 1:
            raise TrainError(f"kl={self.kl}: the weight of the clone is between 0 and 1.")


PRESETS: dict[str, dict[str, Any]] = {}


def defaults(game: Game) -> dict[str, Any]:
    return {}


def plan(context: Context, settings: Settings) -> Plan:
    from coplay.agents.nets.file import load_policy

    network = load_policy(settings.bc, context.game).network
    terms = (KLToReference(network, settings.kl),) if settings.kl else ()
    stage = Stage(context.game, Partners(), learners=context.seeds, dtype=context.dtype)
    return Plan(Setup(stage, terms, settings, ppo_weight=1 - settings.kl), stacked_copies(network, context.seeds))
