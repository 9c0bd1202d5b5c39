"""Other-Play (Hu et al. 2020): self-play in which every seat sees the game through its own random symmetry.

What is arbitrary, such as "red means play", cannot become a convention, because the partner's red is another colour.
"""

from __future__ import annotations

from coplay.train.recipe import Context, LearnerSettings, Plan, learner_plan
from coplay.train.recipes import ippo
from coplay.train.settings import TrainError

Settings = LearnerSettings
PRESETS = ippo.PRESETS


def plan(context: Context, settings: LearnerSettings) -> Plan:
    if len(context.game.symmetries) == 1:
        raise TrainError(
            f"{context.game.name} has no symmetries: nothing in it can be relabelled, so other_play would be ippo. "
            "Use ippo, or give the game `symmetries`."
        )
    if settings.critic_sees == "all":
        raise TrainError("other_play needs critic_sees=own: the views of all seats carry different labels.")
    return learner_plan(context, settings, relabel=True)
