"""Recipes by their names: of this package, of installed ones, of somebody's own file."""

from __future__ import annotations

import dataclasses
import pkgutil
from typing import Any, Protocol

from coplay.game import Game
from coplay.registry import attribute, module_from_file, plugins
from coplay.specs import unknown
from coplay.train.recipe.context import Context
from coplay.train.recipe.plan import Plan
from coplay.train.settings import TrainError


class Recipe(Protocol):
    """A module with these names; `bc`, which needs no PPO, has `run` instead of `plan`."""

    Settings: type
    PRESETS: dict[str, dict[str, Any]]  # may be left out: there are none

    def defaults(self, game: Game) -> dict[str, Any]:
        """Settings that suit this game better than the general ones; left out, `game_defaults`."""
        ...

    def plan(self, context: Context, settings: Any) -> Plan: ...


def recipe_names() -> dict[str, str]:
    """The recipes of this package and of installed ones -> their modules."""
    from coplay.train import recipes

    own = {module.name: f"{recipes.__name__}.{module.name}" for module in pkgutil.iter_modules(recipes.__path__)}
    return {**own, **plugins("coplay.recipes")}


def recipe_named(name: str) -> Any:
    """The module of a recipe: of this package, of an installed one, or somebody's own file (`file:PATH`)."""
    if name.startswith("file:"):
        return _checked(module_from_file(name.removeprefix("file:"), TrainError), name)
    known = recipe_names()
    if name not in known:
        raise TrainError(unknown("recipe", name, known, "; your own: file:my_recipe.py"))
    return _checked(attribute(known[name], TrainError), name)


def _checked(module: Any, name: str) -> Any:
    if not dataclasses.is_dataclass(getattr(module, "Settings", None)):
        raise TrainError(f"{name} has no Settings; give it a frozen dataclass of that name, as LearnerSettings is one.")
    if not callable(getattr(module, "plan", None)) and not callable(getattr(module, "run", None)):
        raise TrainError(f"{name} has no plan; define plan(context, settings) -> Plan, see docs/own.md.")
    return module
