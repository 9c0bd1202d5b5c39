"""BR-BC (Carroll et al. 2019, AH2AC2): a best response to clones, with self-play annealed away.

When a game begins every other seat is given to the clone with a probability that rises from 0 to 1 between `begin` and
`end` of the run, each seat on its own: with three players none, one or two clones sit at the table. The clone draws
from its distribution. `bc=FILE` names it, or a clone for every learner, separated by commas; any other policy can take
its place (`bc=carroll:PATH`).
"""

from __future__ import annotations

import dataclasses

from coplay.train.learner.partners import Block, Partners, one_each
from coplay.train.recipe import Context, LearnerSettings, Plan, coming, learner_plan, partner_named, require_ramp
from coplay.train.settings import TrainError, listed


@dataclasses.dataclass(frozen=True)
class Settings(LearnerSettings):
    bc: str = ""
    begin: float = 0.1  # share of the run after which clones begin to come
    end: float = 0.6  # share of the run after which they always come

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.bc:
            raise TrainError("br_bc needs a clone to answer: --set bc=FILE, an agent that `coplay train bc` made.")
        require_ramp(self)


def plan(context: Context, settings: Settings) -> Plan:
    clones = [partner_named(context.game, spec) for spec in listed(settings.bc)]
    if len(clones) not in (1, context.seeds):
        raise TrainError(f"bc={settings.bc} trains one learner per clone: use --seeds {len(clones)}.")
    if len(clones) == 1:
        blocks = (Block((clones[0],) * (context.game.players - 1), settings.games * context.seeds),)
    else:
        blocks = one_each(clones, context.game.players, settings.games)
    return learner_plan(context, settings, Partners(blocks, joining=coming(context, settings)))
