"""Independent PPO in self-play: one network in every seat, learning from each seat's own decisions.

Defaults are JaxMARL's (feed-forward, entropy 0.01). The preset `high-entropy` is the setting with which seeds trained
apart play well together (arXiv 2511.22581): a recurrent network, entropy 0.05, trace 0.9. With `critic_sees=all` the
critic reads every seat's view, which is MAPPO.
"""

from __future__ import annotations

from typing import Any

from coplay.games.game import Game
from coplay.train.partners import Partners
from coplay.train.ppo import Setup
from coplay.train.recipe import Context, LearnerSettings, Plan, game_defaults, new_networks, shaping_terms
from coplay.train.rollout import Stage

Settings = LearnerSettings
PRESETS: dict[str, dict[str, Any]] = {"high-entropy": {"cell": "gru", "entropy": 0.05, "trace": 0.9}}


def defaults(game: Game) -> dict[str, Any]:
    return game_defaults(game)


def plan(context: Context, settings: LearnerSettings, relabel: bool = False) -> Plan:
    terms, record = shaping_terms(settings)
    stage = Stage(context.game, Partners(), learners=context.seeds, relabel=relabel, dtype=context.dtype, record=record)
    return Plan(Setup(stage, terms, settings), new_networks(context, settings))
