"""Trajectory diversity (Lupu et al. 2021) in two stages, as ZSC-Eval compares it.

The population is trained with the Jensen-Shannon divergence between its members' games; then the agent learns with it,
an equal share of the games with each partner.
"""

from __future__ import annotations

import dataclasses

from coplay.train.ego import EgoSettings, ego_defaults, ego_plan, own_population
from coplay.train.recipe import Context, Plan
from coplay.train.settings import require_from_zero


@dataclasses.dataclass(frozen=True)
class Settings(EgoSettings):
    diversity_weight: float = 0.1
    kernel: float = 0.5  # how much a move counts for the one next to it

    def __post_init__(self) -> None:
        super().__post_init__()
        require_from_zero(self, "diversity_weight", "kernel")


defaults = ego_defaults


def plan(context: Context, settings: Settings) -> Plan:
    different = {"diversity": "games", "diversity_weight": settings.diversity_weight, "kernel": settings.kernel}
    return ego_plan(context, settings, own_population(context, settings, settings.size, **different))
