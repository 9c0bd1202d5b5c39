"""Other-Play (Hu et al. 2020): self-play in which every seat sees the game through its own random symmetry.

What is arbitrary, such as "red means play", cannot become a convention, because the partner's red is another colour.
"""

from __future__ import annotations

from typing import Any

from coplay.games.game import Game
from coplay.train.recipe import Context, LearnerSettings, Plan, game_defaults
from coplay.train.recipes import ippo
from coplay.train.settings import TrainError

Settings = LearnerSettings
PRESETS = ippo.PRESETS


def defaults(game: Game) -> dict[str, Any]:
    return game_defaults(game)


def plan(context: Context, settings: LearnerSettings) -> Plan:
    if len(context.game.symmetries) == 1:
        raise TrainError(f"{context.game.name} looks the same in no mirror, so other_play is ippo here; use ippo.")
    if settings.critic_sees == "all":
        raise TrainError("other_play needs critic_sees=own: the views of all seats carry different labels.")
    return ippo.plan(context, settings, relabel=True)
