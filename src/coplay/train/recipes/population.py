"""Self-play agents that learn side by side as a population, perhaps with something that makes them different.

`diversity=entropy` pays a member for moves that the others would not make (MEP, Zhao et al. 2023), `diversity=games`
takes the divergence of their games from the loss (TrajeDi, Lupu et al. 2021). Recipes that train an agent to play with
a population (`fcp`, `mep`, `trajedi`, `hsp`) make theirs with this one.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

from coplay.train.learner.population import PopulationEntropy, TrajectoryDivergence
from coplay.train.learner.rows import layout_of
from coplay.train.learner.terms import Term
from coplay.train.recipe import Context, LearnerSettings, Plan, learner_plan, new_networks
from coplay.train.settings import TrainError, require_from_zero

# What the difference weighs where nobody says so: as in the papers.
USUAL = {"none": 0.0, "entropy": 0.01, "games": 0.1}


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    diversity: Literal["none", "entropy", "games"] = "none"
    diversity_weight: float = -1.0  # -1: 0.01 for entropy, 0.1 for games
    kernel: float = 0.5  # with games: how much a move counts for the one next to it
    snapshots: int = 20

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.diversity not in USUAL:
            raise TrainError(f"diversity={self.diversity!r}: choose one of {', '.join(USUAL)}.")
        if self.diversity_weight != -1:
            require_from_zero(self, "diversity_weight")
        if not 0 <= self.kernel <= 1:
            raise TrainError(f"kernel={self.kernel!r}: must be between 0 and 1.")

    @property
    def weight(self) -> float:
        return USUAL[self.diversity] if self.diversity_weight == -1 else self.diversity_weight


def plan(context: Context, settings: Settings) -> Plan:
    if settings.diversity != "none" and context.seeds < 2:
        raise TrainError(f"diversity={settings.diversity} needs several members: use --seeds 4.")
    networks = new_networks(context, settings)
    terms: tuple[Term, ...] = ()
    if settings.diversity == "entropy":
        terms = (PopulationEntropy(settings.weight),)
    if settings.diversity == "games":
        layout = layout_of(context.game, networks.design, alone=False, cells=None)
        terms = (TrajectoryDivergence(settings.kernel, layout),)
    weights = [[1.0, *[settings.weight] * len(terms)]] * context.seeds if settings.diversity == "games" else None
    return learner_plan(context, settings, networks=networks, terms=terms, weights=weights)
