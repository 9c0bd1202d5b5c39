"""Games by name: `make("hanabi?players=3")`, `make("hanabi", players=3)`, `make("file:levers.py:Levers")`.

`spec_of(game)` is the way back: the text that makes the game again, which run folders, files and pages carry.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from coplay.completion import complete, own_game
from coplay.game import Game, GameError
from coplay.registry import attribute, from_file, of_worlds, plugins, say, worlds
from coplay.specs import Option, options_of, parse, read_options, unknown, value_text, with_options

FILE = "file"
ORIGINS: dict[Any, str] = {}  # class of a game from a file -> the name that makes it
# Games whose classes do not say when two are equal: by class and settings, so that a spec makes one of them.
PLAIN: dict[tuple[Any, str], tuple[Any, dict[str, Any]]] = {}


def make(name: str | Game, **settings: Any) -> Any:
    """The game that a spec names, with settings over its defaults; a game object is made whole.

    Typed `Any`, because every game has a class of its own with more than the protocol.
    """
    if not isinstance(name, str):
        if settings:
            raise GameError(f"{name!r} is made already; give its settings when it is made.")
        return complete(name)
    return complete(_made(name, settings))


def _made(name: str, settings: dict[str, Any]) -> Any:
    """The game as its author wrote it."""
    try:
        spec = parse(name)
    except ValueError as error:
        raise GameError(str(error)) from error
    kind, preset = _kind(spec.prefix, spec.place, spec.name)
    given = {**spec.options, **settings}
    known = _settings(kind)
    renamed = {_called(kind, setting, known): value for setting, value in given.items() if setting != "name"}
    values = read_options(renamed, known, spec.name, GameError, "setting")
    values |= {setting: value for setting, value in renamed.items() if isinstance(value, float)}  # the game judges it
    return _build(spec.name, kind, {**preset, **values})


def _build(name: str, kind: Any, values: dict[str, Any]) -> Any:
    named = {"name": name} if "name" in options_of(kind) and name in of_worlds("games") else {}
    same = (kind, repr(sorted(values.items())))
    if same in PLAIN:
        return PLAIN[same][0]
    try:
        made = kind(**values, **named)
    except GameError:
        raise
    except Exception as error:  # somebody's own game may raise anything
        raise GameError(f"{name}: making it failed: {say(error)}") from error
    if type(made).__eq__ is object.__eq__:
        PLAIN[same] = made, values
    return made


def _kind(prefix: str, place: str, name: str) -> tuple[Any, Mapping[str, Any]]:
    """The class of a game, and the settings that its name stands for."""
    if prefix == FILE:
        needs = "reset and step; see docs/own.md for what a game has"
        kind = from_file(place, GameError, lambda one: hasattr(one, "reset") and hasattr(one, "step"), "game", needs)
        ORIGINS[kind] = f"{FILE}:{Path(place.rpartition(':')[0])}:{place.rpartition(':')[2]}"
        return kind, {}
    known = game_names()
    if name not in known:
        found = _place(name)
        if found is None:
            raise GameError(unknown("game", name, known, "; your own: file:PATH:CLASS"))
        return found
    target = attribute(known[name], GameError)
    return (target.kind, target.settings) if isinstance(target, Preset) else (target, {})


def _place(name: str) -> tuple[Any, Mapping[str, Any]] | None:
    """The game that a place belongs to, and its settings for it: a kitchen may be named alone."""
    for world in worlds().values():
        settings = attribute(world.places, GameError)(name) if world.places else None
        if settings is not None:
            return attribute(world.games[world.name], GameError), settings
    return None


@dataclasses.dataclass(frozen=True)
class Preset:
    """A game under another name, with settings of its own."""

    kind: Any
    settings: Mapping[str, Any]


def game_names() -> dict[str, str]:
    """Every game that has a name -> "module:attribute"."""
    return {**of_worlds("games"), **plugins("coplay.games")}


@cache
def _settings(kind: Any) -> dict[str, Option]:
    return {name: option for name, option in options_of(kind).items() if name != "name"}


def _called(kind: Any, setting: str, known: Mapping[str, Option]) -> str:
    """What the game calls a setting that all games have under one name: kitchens count chefs, not players."""
    return getattr(kind, "players_setting", setting) if setting == "players" and setting not in known else setting


@cache
def spec_of(game: Game) -> str:
    """The spec that makes this game again: its name, and every setting that does not follow from the others."""
    own = own_game(game)
    kind = type(own)
    name = ORIGINS.get(kind) or game.name
    usual = _usual(name, kind)
    every = settings_of(game)
    needed = {setting: value for setting, value in every.items() if usual.get(setting, kind) != value}
    if usual and not _makes(with_options(name, needed), own):
        needed = every  # a setting as usual may have to be said where another one moves its default
    for setting in list(needed) if usual else []:
        rest = {other: value for other, value in needed.items() if other != setting}
        if _makes(with_options(name, rest), own):
            needed = rest
    return with_options(name, needed)


def _makes(spec: str, own: Any) -> bool:
    try:
        return _made(spec, {}) == own
    except GameError:
        return False


@cache
def _usual(name: str, kind: Any) -> dict[str, Any]:
    """The settings of the game as its name alone makes it."""
    try:
        found = own_game(make(name))
    except GameError:  # a game that only lives in this program
        return {}
    return settings_of(found) if type(found) is kind else {}


def settings_of(game: Game) -> dict[str, Any]:
    """The settings of a game, as JSON may hold them."""
    own = own_game(game)
    if not dataclasses.is_dataclass(own):
        return next((values for made, values in PLAIN.values() if made is own), {})
    values = {field.name: getattr(own, field.name) for field in dataclasses.fields(own) if field.name != "name"}
    return {name: value_text(value) if isinstance(value, Path | Enum) else value for name, value in values.items()}


def from_settings(name: str, settings: Mapping[str, Any]) -> Any:
    """The game of a file that was written with a name and its settings apart."""
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in settings.items()}
    given.pop("name", None)
    return make(name, **given)


def can_be_made_again(game: Game) -> bool:
    """Does its spec lead back to it, here and in another process?"""
    return _makes(spec_of(game), own_game(game))


def family_of(name: str) -> str:
    """The family of a game of this name: what its agents and networks are made for."""
    name = parse(name).name
    for world in worlds().values():
        if name in world.games:
            return world.name
    return name


def family(game: Game) -> str:
    return family_of(ORIGINS.get(type(own_game(game))) or game.name)


def default_game() -> str:
    """What is played where nobody names a game."""
    from coplay.worlds import DEFAULT

    return DEFAULT


def same_settings(game: Game, recorded: Mapping[str, Any]) -> bool:
    """Was something recorded with exactly this game's settings (as JSON keeps them)?"""
    return json.loads(json.dumps(settings_of(game))) == {k: v for k, v in recorded.items() if k != "name"}
