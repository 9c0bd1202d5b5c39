"""What a recipe is, and what it is made with: settings with defaults, and a plan made from them.

A module with the names of `Recipe` is one. `learner_plan` makes the plan of most.
"""

from coplay.train.recipe.context import Context
from coplay.train.recipe.naming import Recipe, recipe_named, recipe_names
from coplay.train.recipe.plan import Plan, coming, learner_plan, new_networks, shaping_terms
from coplay.train.recipe.players import partner_named, trained_network, trained_networks
from coplay.train.recipe.settings import (
    LearnerSettings,
    game_defaults,
    games_per_partner,
    practice_game,
    require_ramp,
)
from coplay.train.recipe.sides import teams_of

__all__ = [
    "Context",
    "LearnerSettings",
    "Plan",
    "Recipe",
    "coming",
    "game_defaults",
    "games_per_partner",
    "learner_plan",
    "new_networks",
    "partner_named",
    "practice_game",
    "recipe_named",
    "recipe_names",
    "require_ramp",
    "shaping_terms",
    "teams_of",
    "trained_network",
    "trained_networks",
]
