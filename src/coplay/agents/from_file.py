"""`file:my_agent.py:MyAgent`: an agent from somebody's own file, with errors that say where to look."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

from coplay.agents.wrapped import as_player
from coplay.game import Game
from coplay.player import Agent, AgentError, Policy
from coplay.registry import from_file, say, where_in
from coplay.specs import Option, options_of, read_options


def load_agent(place: str, game: Game, **options: str) -> Policy | Agent:
    """Imports the file of PATH:CLASS and makes the class, with the game first if its constructor asks for one.

    Options (`?lever=2`) are those arguments of the constructor that have a default.
    """
    needs = "act method; define act(self, view) -> int in that class"
    kind = from_file(place, AgentError, lambda one: hasattr(one, "act") or hasattr(one, "act_batch"), "agent", needs)
    path_text, _, class_name = place.rpartition(":")
    path = Path(path_text)
    values = read_options(options, _known(kind), f"file:{place}", AgentError)
    try:
        made = kind(game, **values) if _wants_game(kind) else kind(**values)
    except (Exception, SystemExit) as error:  # the user's constructor may raise anything
        raise AgentError(f"{path}: making {class_name} failed{where_in(error, path)}: {say(error)}") from error
    if not callable(getattr(made, "act", None)) and not callable(getattr(made, "act_batch", None)):
        raise AgentError(f"{path}: {class_name} has no act method; define act(self, view) -> int.")
    return as_player(made, class_name)


def _known(kind: Any) -> dict[str, Option]:
    try:
        parameters = inspect.signature(kind).parameters
    except ValueError:
        return {}
    return {
        name: option
        for name, option in options_of(kind).items()
        if parameters[name].default is not inspect.Parameter.empty
    }


def _wants_game(kind: Any) -> bool:
    try:
        parameters = list(inspect.signature(kind).parameters.values())
    except ValueError:
        return False
    return any(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
