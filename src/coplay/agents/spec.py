"""An agent is named by a string everywhere: `random`, `smartbot?risk=false`, `file:my_agent.py:MyAgent`."""

from __future__ import annotations

import difflib
import importlib
import inspect
from typing import Any

from coplay.agents.agent import Agent, AgentError, Policy
from coplay.games.game import Game

# name -> (game family or None for any, "module:Class"); the class is called with the game and the options of the spec
BUILT_IN: dict[str, tuple[str | None, str]] = {
    "random": (None, "coplay.agents.random:RandomPolicy"),
    "smartbot": ("hanabi", "coplay.agents.hanabi.smartbot:SmartBot"),
    "holmesbot": ("hanabi", "coplay.agents.hanabi.holmesbot:HolmesBot"),
    "valuebot": ("hanabi", "coplay.agents.hanabi.valuebot:ValueBot"),
    "simplebot": ("hanabi", "coplay.agents.hanabi.simplebot:SimpleBot"),
    "hatbot": ("hanabi", "coplay.agents.hanabi.hatbot:HatBot"),
    "information": ("hanabi", "coplay.agents.hanabi.information.bot:InformationBot"),
    "hgroup": ("hanabi", "coplay.agents.hanabi.hgroup.agent:HGroup"),
    "fireflower": ("hanabi", "coplay.agents.hanabi.fireflower.agent:FireFlower"),
    "internal": ("hanabi", "coplay.agents.hanabi.walton_rivers.internal:internal"),
    "outer": ("hanabi", "coplay.agents.hanabi.walton_rivers.outer:outer"),
    "iggi": ("hanabi", "coplay.agents.hanabi.walton_rivers.iggi:iggi"),
    "piers": ("hanabi", "coplay.agents.hanabi.walton_rivers.piers:piers"),
    "flawed": ("hanabi", "coplay.agents.hanabi.walton_rivers.flawed:flawed"),
    "van-den-bergh": ("hanabi", "coplay.agents.hanabi.walton_rivers.van_den_bergh:van_den_bergh"),
    "stay": ("overcooked", "coplay.agents.overcooked.stay:Stay"),
    "greedy-cook": ("overcooked", "coplay.agents.overcooked.greedy_cook:greedy_cook"),
    "pot-filler": ("overcooked", "coplay.agents.overcooked.pot_filler:pot_filler"),
    "deliverer": ("overcooked", "coplay.agents.overcooked.deliverer:deliverer"),
    "hand-over-cook": ("overcooked", "coplay.agents.overcooked.hand_over_cook:hand_over_cook"),
    "theory-of-mind": ("overcooked", "coplay.agents.overcooked.theory_of_mind:TheoryOfMind"),
}

# prefix -> "module:function": agents that come from a file; called with what follows the prefix, the game and options
FROM_FILES = {
    "file": "coplay.agents.userfile:load_agent",
    "carroll": "coplay.agents.overcooked.carroll:load_carroll",
    "run": "coplay.agents.nets.file:load_policy",
    "pool": "coplay.pool.pool:load",
    "remote": "coplay.agents.remote:load_remote",
}


def agent(spec: str | Policy | Agent, game: Game) -> Policy | Agent:
    """The agent that `spec` names, ready for `game`; an agent object is returned as it is."""
    if not isinstance(spec, str):
        return _checked_object(spec)
    name, _, query = spec.partition("?")
    prefix, colon, place = name.partition(":")
    if colon and prefix in FROM_FILES:
        load = _attribute(FROM_FILES[prefix])
        return load(place, game, **_options(spec, load, query))
    if name not in BUILT_IN:
        raise AgentError(_unknown(name))
    family, target = BUILT_IN[name]
    if family is not None and game.name.split("-")[0] != family:
        raise AgentError(f"{name} plays {family}, not {game.name}; choose one of {', '.join(known(game))}.")
    kind = _attribute(target)
    return kind(game, **_options(spec, kind, query))


def _attribute(target: str) -> Any:
    module, _, attribute = target.partition(":")
    try:
        return getattr(importlib.import_module(module), attribute)
    except ImportError as error:  # an agent may need an optional package, and says which
        raise AgentError(str(error)) from error


def known(game: Game | None = None) -> list[str]:
    """The built-in agents, or those that play `game`."""
    family = None if game is None else game.name.split("-")[0]
    return [name for name, (its, _) in BUILT_IN.items() if family is None or its in (None, family)]


def playing(game: Game) -> list[str]:
    """The built-in agents that can be made for exactly this game: some need a certain number of players."""
    names = []
    for name in known(game):
        try:
            agent(name, game)
        except AgentError:
            continue
        names.append(name)
    return names


def describe_all(family: str) -> list[tuple[str, str]]:
    """Name and first sentence of every agent that plays a family of games."""
    lines = []
    for name, (its, target) in BUILT_IN.items():
        if its in (None, family):
            try:
                text = importlib.import_module(target.partition(":")[0]).__doc__ or ""
            except ImportError as error:
                text = str(error)
            lines.append((name, " ".join(text.split("\n\n")[0].split())))
    return lines


def _options(spec: str, kind: Any, query: str) -> dict[str, Any]:
    """`risk=false&depth=2` as keyword arguments of the class, read by the type of their defaults."""
    parameters = {
        name: parameter.default
        for name, parameter in inspect.signature(kind).parameters.items()
        if parameter.default is not inspect.Parameter.empty and name != "name"
    }
    options: dict[str, Any] = {}
    for part in filter(None, query.split("&")):
        key, equals, text = part.partition("=")
        if not equals or key not in parameters:
            choices = ", ".join(parameters) or "none"
            raise AgentError(f"{spec}: unknown option {part!r}; write name?option=value. Its options: {choices}.")
        options[key] = _parse(spec, key, text, parameters[key])
    return options


def _parse(spec: str, key: str, text: str, default: Any) -> Any:
    if isinstance(default, bool) or default is None:
        words = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}
        if text.lower() not in words:
            raise AgentError(f"{spec}: {key}={text!r} should be true or false.")
        return words[text.lower()]
    try:
        return type(default)(text)
    except ValueError as error:
        raise AgentError(f"{spec}: {key}={text!r} should be of type {type(default).__name__}.") from error


def _checked_object(thing: Any) -> Policy | Agent:
    if isinstance(thing, type):
        raise AgentError(f"{thing.__name__} is a class; pass an instance of it, or its spec string.")
    if isinstance(thing, Policy) or callable(getattr(thing, "act", None)):
        return thing
    raise AgentError(
        f"{thing!r} is not an agent: it has no act method. Pass a spec such as 'random', a Policy, or an Agent."
    )


def _unknown(name: str) -> str:
    near = difflib.get_close_matches(name, BUILT_IN, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    others = "; your own: file:my_agent.py:MyAgent"
    return f"unknown agent {name!r}; the built-in agents are {', '.join(BUILT_IN)}{others}.{hint}"
