"""Pictures of a kitchen as static SVG.

The SVG brings its own dark frame, so it looks the same on light and dark pages. It has presentation attributes only, no
style sheet, ids or outside fonts, so that any number of them can stand in one page.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import TYPE_CHECKING

from coplay.worlds.overcooked.people.sketch import Area, Box, Disc, Names, Shape, Sketch, sketch, view_state

if TYPE_CHECKING:
    from coplay.worlds.overcooked.rules import State
    from coplay.worlds.overcooked.settings import Overcooked
    from coplay.worlds.overcooked.view import View

FONT = "system-ui, -apple-system, Segoe UI, Helvetica, Arial, DejaVu Sans, sans-serif"


def kitchen_svg(game: Overcooked, state: State, names: Names = None) -> str:
    """The kitchen: chefs with what they hold, pots with what cooks, counters, orders, score and time."""
    picture = sketch(game, state, names)
    return svg_frame(picture, svg_shapes(picture.fixed), *map(svg_shapes, picture.moving))


def view_svg(view: View, names: Names = None) -> str:
    """The kitchen of a view: every chef sees all of it."""
    return kitchen_svg(view.game, view_state(view), names)


def svg_frame(picture: Sketch, *groups: str) -> str:
    """An SVG document of finished groups of shapes."""
    width, height = f"{picture.width:g}", f"{picture.height:g}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" font-family="{FONT}">'
    )
    return "\n".join([head, f"<title>Overcooked, {escape(picture.title)}</title>", *groups, "</svg>\n"])


def svg_shapes(shapes: Iterable[Shape]) -> str:
    return "\n".join(map(_svg, shapes))


def _svg(shape: Shape) -> str:
    if isinstance(shape, Box):
        corner = f' rx="{shape.radius:g}"' if shape.radius else ""
        size = f'width="{_n(shape.width)}" height="{_n(shape.height)}"'
        return f'<rect x="{_n(shape.x)}" y="{_n(shape.y)}" {size}{corner} fill="{shape.fill}"/>'
    if isinstance(shape, Disc):
        edge = f' stroke="{shape.edge}" stroke-width="{shape.thick:g}"' if shape.edge else ""
        return f'<circle cx="{_n(shape.x)}" cy="{_n(shape.y)}" r="{_n(shape.radius)}" fill="{shape.fill}"{edge}/>'
    if isinstance(shape, Area):
        points = " ".join(f"{_n(x)},{_n(y)}" for x, y in shape.points)
        return f'<polygon points="{points}" fill="{shape.fill}"/>'
    look = f'font-size="{shape.size:g}" fill="{shape.fill}"'
    look += ' font-weight="700"' if shape.bold else ""
    look += f' text-anchor="{shape.anchor}"' if shape.anchor != "start" else ""
    return f'<text x="{_n(shape.x)}" y="{_n(shape.y)}" {look}>{escape(shape.text)}</text>'


def _n(value: float) -> str:
    return f"{round(value, 1):g}"
