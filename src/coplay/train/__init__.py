"""How agents are made: one learner, many recipes. `train(recipe, game, out)` is the way in.

The others are what a recipe of one's own is made of (docs/own.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy

if TYPE_CHECKING:
    from coplay.train.learner.partners import Block, Fellow, Partners
    from coplay.train.learner.ppo import Setup
    from coplay.train.learner.stage import Stage
    from coplay.train.learner.terms import Term, reward_rows
    from coplay.train.proxies import Proxies, make_proxies
    from coplay.train.recipe import Context, LearnerSettings, Plan, learner_plan
    from coplay.train.run import Run, open_run, train
    from coplay.train.settings import TrainError

_PLACES = {
    "Block": "coplay.train.learner.partners",
    "Context": "coplay.train.recipe",
    "Fellow": "coplay.train.learner.partners",
    "LearnerSettings": "coplay.train.recipe",
    "Partners": "coplay.train.learner.partners",
    "Plan": "coplay.train.recipe",
    "Proxies": "coplay.train.proxies",
    "Run": "coplay.train.run",
    "Setup": "coplay.train.learner.ppo",
    "Stage": "coplay.train.learner.stage",
    "Term": "coplay.train.learner.terms",
    "TrainError": "coplay.train.settings",
    "learner_plan": "coplay.train.recipe",
    "make_proxies": "coplay.train.proxies",
    "open_run": "coplay.train.run",
    "reward_rows": "coplay.train.learner.terms",
    "train": "coplay.train.run",
}
__all__ = [
    "Block",
    "Context",
    "Fellow",
    "LearnerSettings",
    "Partners",
    "Plan",
    "Proxies",
    "Run",
    "Setup",
    "Stage",
    "Term",
    "TrainError",
    "learner_plan",
    "make_proxies",
    "open_run",
    "reward_rows",
    "train",
]
__getattr__, __dir__ = lazy(__name__, _PLACES)
