"""Which game is meant? A pool names games by spec; figures hold for exactly one, and networks play more than one."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from coplay.game import Game, GameError
from coplay.games import make, settings_of, spec_of
from coplay.nets.policy import reader
from coplay.specs import parse, with_options

OLDER = ("players", "layout")  # a game was its name and these, before games had specs


def canonical(game: str | Game) -> str:
    """The one spec of a game that can be written in several ways."""
    return _canonical(game) if isinstance(game, str) else spec_of(game)


@cache
def _canonical(spec: str) -> str:
    try:
        return spec_of(make(spec))
    except GameError:  # of a package that is not installed: nobody asks for it
        return spec


def plays(trained_on: str, game: Game) -> bool:
    """Can a network that was trained on one game sit in another?

    Yes if both go by one name, what the spec says about the first is true of the second, and both have as many players
    and look alike to a network. So a network plays shorter games too, and no other map.
    """
    if canonical(trained_on) == spec_of(game):
        return True
    spec = parse(trained_on)
    if parse(spec_of(game)).name != spec.name:
        return False
    try:
        first = make(trained_on)
    except GameError:
        return False
    mine, other = settings_of(first), settings_of(game)
    said = [name for name in spec.options if name in mine]
    return all(mine[name] == other.get(name) for name in said) and _looks(first) == _looks(game)


def _looks(game: Game) -> tuple[Any, ...]:
    return game.players, game.num_actions, tuple(reader(game).observation_shape)


def from_older_keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a pool's file, with the game as a spec: older files name it by `game`, `players` and `layout`."""
    found = {name: value for name, value in values.items() if name not in OLDER}
    settings = {name: values[name] for name in OLDER if values.get(name)}
    if settings.get("layout"):
        settings.pop("players", None)  # as many as the map has places for
    return {**found, "game": with_options(values["game"], settings)} if settings else found
