"""Draws the pictures of docs/overcooked.md into docs/images: python docs/draw_overcooked.py"""

from __future__ import annotations

from pathlib import Path

import jax

from coplay.worlds.overcooked import Overcooked
from coplay.worlds.overcooked.kitchen.layouts import library
from coplay.worlds.overcooked.people.draw import FONT, kitchen_svg, svg_shapes
from coplay.worlds.overcooked.people.sketch import CELL, FELT, HEADER, LIGHT, MARGIN, Box, Words, sketch

IMAGES = Path(__file__).parent / "images"
COLUMNS = 1640  # width of the sheet in the kitchens' own pixels


def busy() -> str:
    """A moment of cooking on the counter circuit."""
    game = Overcooked(layout="counter_circuit")
    objects = {(3, 0): (3, 3, 0, 20), (4, 0): (3, 3, 0, 8), (3, 2): 1, (4, 2): 2}
    state = game.place([(3, 1), (6, 3)], [0, 3], [2, 1], objects=objects, time=142)
    return kitchen_svg(game, state._replace(score=state.score + 60), ["ppo_sp", "you"])


def sheet() -> str:
    """Every kitchen we ship, rows filled from the left."""
    x, y, tall, parts = 20.0, 16.0, 0.0, []
    for layout in library().values():
        game = Overcooked(layout=layout.name, dynamics="new" if layout.places["T"] else "old")
        picture = sketch(game, game.reset(jax.random.key(0)))
        wide, high = layout.width * CELL, layout.height * CELL
        if x > 20 and x + wide > COLUMNS:
            x, y, tall = 20.0, y + tall, 0.0
        left, top = (picture.width - wide) / 2, MARGIN + HEADER
        window = f'x="{x:g}" y="{y + 26:g}" width="{wide}" height="{high}" viewBox="{left:g} {top} {wide} {high}"'
        shapes = "\n".join(map(svg_shapes, [picture.fixed, *picture.moving]))
        parts += [svg_shapes([Words(x, y + 14, layout.name, 17, LIGHT, bold=True)]), f"<svg {window}>{shapes}</svg>"]
        x, tall = x + max(wide, 11 * len(layout.name)) + 28, max(tall, high + 62)
    height = y + tall
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {COLUMNS} {height:g}" width="{COLUMNS}" '
    head += f'height="{height:g}" role="img" font-family="{FONT}"><title>All kitchens</title>'
    return "\n".join([head, svg_shapes([Box(0, 0, COLUMNS, height, FELT, 12)]), *parts, "</svg>\n"])


if __name__ == "__main__":
    (IMAGES / "overcooked-kitchen.svg").write_text(busy(), encoding="utf-8")
    (IMAGES / "overcooked-layouts.svg").write_text(sheet(), encoding="utf-8")
