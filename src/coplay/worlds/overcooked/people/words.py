"""Kitchens in words: what a person or a language model reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coplay.game import GameError
from coplay.worlds.overcooked import encode, features, minimal
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.layouts import DIRECTIONS, LETTERS, OFFSETS
from coplay.worlds.overcooked.rules import ACTIONS

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked
    from coplay.worlds.overcooked.view import View

_THINGS = {1: "an onion", 2: "a dish", 4: "a tomato"}
_SMALL = {1: "o", 2: "d", 3: "s", 4: "t"}  # things on counters in the drawing
_ARROWS = "^v><"


def view_text(view: View) -> str:
    """The kitchen from one seat: a drawing, then sentences."""
    game = view.game
    seats = [(int(view.seat) + offset) % game.players for offset in range(game.players)]
    lines = [
        f"Step {int(view.time)} of {game.horizon}. Score {int(view.score)}. You are chef {seats[0]}.",
        *_drawing(view),
        _legend(game),
    ]
    lines += [_chef(view, offset, seat) for offset, seat in enumerate(seats)]
    lines += _pots(view)
    lines += _counters(view)
    lines.append(f"Orders: {_orders(game)}.")
    lines.append("Actions: " + ", ".join(f"{number} {name}" for number, name in enumerate(ACTIONS)) + ".")
    return "\n".join(lines)


def describe_entry(game: Overcooked, entry: int) -> str:
    """What an entry of the flattened encoding means."""
    size = int(np.prod(game.observation_shape))
    if not isinstance(entry, int | np.integer) or not 0 <= entry < size:
        raise GameError(f"entry {entry}: this encoding has entries 0 to {size - 1}.")
    if game.encoding == "bc_features":
        return features.names()[entry]
    if game.encoding == "minimal":
        kept = minimal.choice(game.kitchen, game.players)
        (x, y), layer = game.kitchen.cell(int(kept.cells[entry])), int(kept.layers[entry])
        names = encode.plan(game.kitchen, game.players, "lossless").names
    else:
        names = encode.plan(game.kitchen, game.players, game.encoding).names
        x, y, layer = (int(i) for i in np.unravel_index(entry, game.observation_shape))
    return f"{names[layer]}, at x={x}, y={y}"


def soup_text(onions: int, tomatoes: int) -> str:
    """Ingredients in words."""
    parts = [
        f"{n} {name}{'s' if n > 1 and name == 'onion' else 'es' if n > 1 else ''}"
        for n, name in ((onions, "onion"), (tomatoes, "tomato"))
        if n
    ]
    return " and ".join(parts) or "nothing"


def _drawing(view: View) -> list[str]:
    """Each cell as two characters: terrain and what is there; chefs as their arrow and seat."""
    game, lying = view.game, np.asarray(view.lying)
    spots = {tuple(spot): offset for offset, spot in enumerate(np.asarray(view.positions).tolist())}
    facings = np.asarray(view.facings)
    lines = []
    for y in range(game.kitchen.height):
        row = ""
        for x in range(game.kitchen.width):
            chef = spots.get((x, y))
            if chef is None:
                row += game.kitchen.letter((x, y)).replace(" ", ".") + _SMALL.get(int(lying[y, x]), " ")
            else:
                row += _ARROWS[facings[chef]] + str((int(view.seat) + chef) % game.players)
        lines.append("  " + row.rstrip())
    return lines


def _legend(game: Overcooked) -> str:
    used = [f"{letter} {what}" for letter, what in LETTERS.items() if letter != " " and game.kitchen.places[letter]]
    return f"({', '.join(used)}, . floor; o onion, t tomato, d dish, s soup lying on a counter; ^v>< a chef's facing)"


def _thing(code: int, soup: list[int]) -> str:
    return f"a soup of {soup_text(*soup)}" if code == 3 else _THINGS[code]


def _chef(view: View, offset: int, seat: int) -> str:
    kitchen = view.game.kitchen
    x, y = np.asarray(view.positions[offset]).tolist()
    facing, code = int(view.facings[offset]), int(view.held[offset])
    dx, dy = OFFSETS[facing]
    holding = _thing(code, np.asarray(view.held_soups[offset]).tolist()) if code else "nothing"
    who = "You are" if offset == 0 else f"Chef {seat} is"
    verb = "hold" if offset == 0 else "holds"
    ahead = LETTERS[kitchen.letter((x + dx, y + dy))]
    return f"{who} at ({x}, {y}), facing {DIRECTIONS[facing]} ({ahead}), and {verb} {holding}."


def _pots(view: View) -> list[str]:
    lines = []
    ticks, left = np.asarray(view.pot_ticks), np.asarray(view.pot_remaining)
    for number, (x, y) in enumerate(view.game.kitchen.places["P"]):
        contents = np.asarray(view.pot_contents[number]).tolist()
        if not sum(contents):
            state = "is empty"
        elif ticks[number] < 0:
            state = f"holds {soup_text(*contents)}, not cooking"
        elif left[number]:
            state = f"cooks {soup_text(*contents)}, ready in {left[number]}"
        else:
            state = f"holds a ready soup of {soup_text(*contents)}"
        lines.append(f"The pot at ({x}, {y}) {state}.")
    return lines


def _counters(view: View) -> list[str]:
    lying, soups = np.asarray(view.lying), np.asarray(view.lying_soups)
    found = [f"{_thing(int(lying[y, x]), soups[y, x].tolist())} at ({x}, {y})" for y, x in np.argwhere(lying)]
    return [f"On counters: {', '.join(found)}."] if found else []


def _orders(game: Overcooked) -> str:
    orders = game.kitchen.orders
    return "; ".join(
        f"{soup_text(items.onions_in(code), items.tomatoes_in(code))} for {orders.value(code)}, "
        f"{orders.time(code)} steps to cook"
        for code in orders.wanted
    )
