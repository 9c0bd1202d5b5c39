"""An agent is named by a string everywhere: `random`, `smartbot?risk=false`, `file:my_agent.py:MyAgent`."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from coplay.agents.wrapped import as_player
from coplay.game import Game
from coplay.games import family
from coplay.player import Agent, AgentError, Policy
from coplay.registry import attribute, of_worlds, plugins, worlds
from coplay.specs import options_of, parse, read_options, unknown

# Agents for any game.
EVERYWHERE = {"random": "coplay.agents.random:RandomPolicy"}
# prefix -> "module:function": agents from elsewhere; called with what follows the prefix, the game and the options
LOADERS = {
    "file": "coplay.agents.from_file:load_agent",
    "run": "coplay.nets.file:load_policy",
    "pool": "coplay.pool.pool:load",
    "set": "coplay.pool.sets:load_member",
    "remote": "coplay.agents.remote:load_remote",
    "llm": "coplay.agents.llm:load_model",
    "search": "coplay.agents.search:load_search",
}


def agent(spec: str | Policy | Agent, game: Game) -> Policy | Agent:
    """The agent that `spec` names, ready for `game`; an agent object is returned as it is."""
    if not isinstance(spec, str):
        return _checked_object(spec)
    try:
        read = parse(spec)
    except ValueError as error:
        raise AgentError(str(error)) from error
    if read.prefix in loaders():
        load = attribute(loaders()[read.prefix], AgentError)
        return as_player(load(read.place, game, **_options(spec, read.options, load, 2)))
    names = known(game)
    if read.name not in names:
        raise AgentError(_unknown(read.name, game))
    kind = attribute(names[read.name], AgentError)
    return as_player(kind(game, **_options(spec, read.options, kind, 1)))


def _options(spec: str, given: dict[str, str], made: Any, skip: int) -> dict[str, Any]:
    if any(one.kind is one.VAR_KEYWORD for one in inspect.signature(made).parameters.values()):
        return dict(given)  # what they are, only the class behind it knows
    known = {name: option for name, option in options_of(made, skip).items() if name != "name"}
    return read_options(given, known, spec, AgentError)


def loaders() -> dict[str, str]:
    """Prefix -> "module:function" of agents from elsewhere."""
    return {**LOADERS, **of_worlds("loaders")}


def known(game: Game | None = None) -> dict[str, str]:
    """The agents with a name, or those made for `game` -> "module:attribute"."""
    if game is None:
        return {**EVERYWHERE, **of_worlds("agents"), **plugins("coplay.agents")}
    world = worlds().get(family(game))
    mine = dict(world.agents) if world else {}
    return {**EVERYWHERE, **mine, **plugins("coplay.agents")}


def playing(game: Game) -> list[str]:
    """The agents with a name that can be made for exactly this game: some need a certain number of players."""
    names = []
    for name in known(game):
        try:
            agent(name, game)
        except AgentError:
            continue
        names.append(name)
    return names


def describe_all(game: Game) -> list[tuple[str, str]]:
    """Name and first sentence of every agent that plays games like this one; of its module, if it has one alone."""
    targets = known(game)
    homes = [target.partition(":")[0] for target in targets.values()]
    return [
        (name, _first_sentence(target, homes.count(target.partition(":")[0]) == 1)) for name, target in targets.items()
    ]


def describe_loaders(game: Game) -> list[tuple[str, str]]:
    """Prefix and first sentence of what reads files of other programs for games like this one."""
    world = worlds().get(family(game))
    return [(prefix, _first_sentence(target)) for prefix, target in world.loaders.items()] if world else []


def _first_sentence(target: str, alone: bool = True) -> str:
    """What the module of "module:attribute" says of itself; of one that has several, what the attribute says."""
    home, _, own = target.partition(":")
    try:
        told = importlib.import_module(home)
        text = (told if alone else getattr(told, own)).__doc__ or ""
    except ImportError as error:
        text = str(error)
    return " ".join(text.split("\n\n")[0].split())


def _checked_object(thing: Any) -> Policy | Agent:
    if isinstance(thing, type):
        raise AgentError(f"{thing.__name__} is a class; pass an instance of it, or its spec string.")
    if callable(getattr(thing, "act", None)) or callable(getattr(thing, "act_batch", None)):
        return as_player(thing)
    raise AgentError(
        f"{thing!r} is not an agent: it has no act method. Pass a spec such as 'random', a Policy, or an Agent."
    )


def _unknown(name: str, game: Game) -> str:
    for world in worlds().values():
        if name in world.agents:
            return f"{name} plays {world.name}, not {game.name}; choose one of {', '.join(known(game))}."
    return unknown("agent", name, known(game), "; your own: file:my_agent.py:MyAgent")
