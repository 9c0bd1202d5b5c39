"""The pieces a browser draws a kitchen from: chefs, things and pots, each as SVG at the origin of its cell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

import jax

from coplay.worlds.overcooked import Overcooked
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.people.draw import svg_frame, svg_shapes
from coplay.worlds.overcooked.people.sketch import CELL, HEADER, MARGIN, Shape, chef, cooking, sketch, thing

SOUP = 3  # the code of a soup among held and lying things
MIDDLE = CELL / 2


@lru_cache(16)
def drawn(game: Overcooked, names: tuple[str, ...]) -> dict[str, Any]:
    """The empty kitchen as a picture, and the pieces that move in it."""
    picture = sketch(game, jax.device_get(game.reset(jax.random.key(0))), names)
    return {
        "picture": svg_frame(picture, svg_shapes(picture.fixed), '<g id="moving"></g>'),
        "cell": CELL,
        "margin": MARGIN,
        "wide": picture.width - 2 * MARGIN,
        "left": (picture.width - game.kitchen.width * CELL) / 2,
        "top": MARGIN + HEADER,
        "pots": [[x, y] for x, y in sorted(game.kitchen.places["P"], key=lambda cell: (cell[1], cell[0]))],
        "pieces": {name: svg_shapes(shapes) for name, shapes in _pieces(game)},
    }


def _pieces(game: Overcooked) -> Iterator[tuple[str, Iterable[Shape]]]:
    """Every piece this kitchen can show, under the name that the script asks for."""
    soups = [(onions, tomatoes) for onions in range(4) for tomatoes in range(4 - onions) if onions + tomatoes]
    if not game.kitchen.places["T"]:
        soups = [soup for soup in soups if not soup[1]]
    plain = [1, 2, *([4] if game.kitchen.places["T"] else [])]
    held = [(code, (0, 0)) for code in (0, *plain)] + [(SOUP, soup) for soup in soups]
    for code, soup in held:
        if code:
            yield f"thing {code} {soup[0]} {soup[1]}", thing(code, *soup, MIDDLE, MIDDLE - 1, 13)
        for seat in range(game.players):
            for facing in range(4):
                name = f"chef {seat} {facing} {code} {soup[0]} {soup[1]}"
                yield name, chef(seat, MIDDLE, MIDDLE, facing, code, soup)
    for onions, tomatoes in soups:
        time = game.kitchen.orders.time(items.soup(onions, tomatoes))
        for tick in range(-1, time + 1):
            yield f"pot {onions} {tomatoes} {tick}", cooking(MIDDLE, MIDDLE - 4, onions, tomatoes, tick, time)
