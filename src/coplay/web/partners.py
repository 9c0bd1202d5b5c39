"""Whom people can play with here: agents that come with the package, never a file somebody names."""

from __future__ import annotations

import json
from functools import cache
from typing import Any, NamedTuple

from coplay.agents.spec import describe_all, playing
from coplay.challenge.rules import game_of
from coplay.games.overcooked.layouts import library
from coplay.pool.pool import of_game


class Choice(NamedTuple):
    """An agent in a list."""

    spec: str
    about: str


class Kind(NamedTuple):
    """A game that people can choose."""

    title: str
    game: str
    seats: tuple[int, ...]  # how many players there may be


GAMES = {
    "hanabi": Kind("Hanabi", "hanabi", (2, 3, 4, 5)),
    "hanabi-small": Kind("Small Hanabi: two colours, two cards", "hanabi-small", (2,)),
    "hanabi-very-small": Kind("Very small Hanabi: one colour", "hanabi-very-small", (2,)),
    "overcooked": Kind("Overcooked", "overcooked", (2,)),
}
STEPS = (200, 400)  # how long a kitchen is open
USUAL = {"hanabi": "smartbot", "overcooked": "hand-over-cook"}


@cache
def choices(game: str, settings: str) -> tuple[Choice, ...]:
    """The agents for a game; `settings` is JSON. The pool's trained ones come last."""
    made = game_of(game, settings)
    about = dict(describe_all(game.split("-")[0]))
    scripted = [Choice(spec, about.get(spec, "")) for spec in playing(made)]
    return (*scripted, *(Choice(spec, "Trained; comes with the package.") for spec in of_game(made)))


@cache
def layouts() -> tuple[str, ...]:
    """Kitchens for two."""
    return tuple(name for name, kitchen in library().items() if len(kitchen.starts) == 2)


def settings_of(game: str, players: int, layout: str, steps: int) -> dict[str, Any]:
    """The settings of a table."""
    return {"layout": layout, "horizon": steps} if game == "overcooked" else {"players": players}


def as_json(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)
