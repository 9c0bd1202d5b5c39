"""Maximum entropy population-based training (Zhao et al. 2023).

The population is paid for moves that its other members would not make. The agent then learns with it, and more from
partners with whom it scores less: a partner counts in proportion to its rank to the power `priority`.
"""

from __future__ import annotations

import dataclasses

from coplay.train.ego import EgoSettings, ego_defaults, ego_plan, own_population
from coplay.train.recipe import Context, Plan
from coplay.train.settings import require_from_zero


@dataclasses.dataclass(frozen=True)
class Settings(EgoSettings):
    diversity_weight: float = 0.01
    priority: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        require_from_zero(self, "diversity_weight", "priority")


defaults = ego_defaults


def plan(context: Context, settings: Settings) -> Plan:
    different = {"diversity": "entropy", "diversity_weight": settings.diversity_weight}
    partners = own_population(context, settings, settings.size, **different)
    return ego_plan(context, settings, partners, settings.priority)
