"""Independent PPO in self-play: one network in every seat, learning from each seat's own decisions.

Defaults are JaxMARL's (feed-forward, entropy 0.01). The preset `high-entropy` is the setting with which seeds trained
apart play well together (arXiv 2511.22581): a recurrent network, entropy 0.05, trace 0.9. With `critic_sees=all` the
critic reads every seat's view, which is MAPPO.
"""

from __future__ import annotations

from typing import Any

from coplay.train.recipe import Context, LearnerSettings, Plan, learner_plan

Settings = LearnerSettings
PRESETS: dict[str, dict[str, Any]] = {"high-entropy": {"cell": "gru", "entropy": 0.05, "trace": 0.9}}


def plan(context: Context, settings: LearnerSettings) -> Plan:
    return learner_plan(context, settings)
