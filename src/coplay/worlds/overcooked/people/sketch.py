"""A kitchen as a list of plain shapes, which `draw` writes as SVG and `animate` paints as pixels.

Chefs are seen from above: hands point where they face, the hat carries the number of the seat. Whatever colour says,
a number or a form says too.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coplay.game import GameError
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.layouts import OFFSETS
from coplay.worlds.overcooked.rules import State

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked
    from coplay.worlds.overcooked.view import View

CELL, MARGIN, HEADER, LINE = 56, 14, 56, 34
FELT, LIGHT, MUTED, GOLD, GREEN = "#1b2330", "#eef2f7", "#93a1b5", "#ffd166", "#35b26f"
FLOORS, WOOD, BOARD, STOVE = ("#efe6d6", "#e7dcc8"), "#9c7a51", "#bd9a6c", "#46505f"
# One per seat: they differ in lightness as well as hue, and the hat's number tells them apart without colour.
CHEFS = ("#2f74c0", "#e8743b", "#8a4fbf", "#2a9d6a", "#c7365f", "#5b6470")
SKIN, WHITE, RIM, STEEL, DARK = "#f3c9a5", "#ffffff", "#9aa5b1", "#8d99a8", "#2b323d"
ONION, ONION_EDGE, TOMATO, TOMATO_EDGE, LEAF = "#f4d9a0", "#a8762b", "#dc4634", "#8f2417", "#3d8b40"
WATER, BROTHS = "#86b7d9", ("#d9a441", "#c1432c", "#cf7a35")  # of onions, of tomatoes, of both

Names = Sequence[str] | None


class Box(NamedTuple):
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    fill: str
    radius: float = 0


class Disc(NamedTuple):
    x: float
    y: float
    radius: float
    fill: str
    edge: str = ""
    thick: float = 1.5


class Area(NamedTuple):
    """A polygon."""

    points: tuple[tuple[float, float], ...]
    fill: str


class Words(NamedTuple):
    """One line of text on its baseline."""

    x: float
    y: float
    text: str
    size: float
    fill: str = LIGHT
    anchor: str = "start"  # start, middle, end
    bold: bool = False


Shape = Box | Disc | Area | Words


class Sketch(NamedTuple):
    """A picture: the kitchen itself, and groups of shapes for what changes."""

    width: float
    height: float
    title: str
    fixed: list[Shape]
    moving: list[list[Shape]]


def sketch(game: Overcooked, state: State, names: Names = None) -> Sketch:
    """The whole picture of one state."""
    kitchen = game.kitchen
    inner = max(kitchen.width * CELL, 4 * CELL)
    orders = list(_orders(game, inner))
    labels = list(_labels(game, names, inner))
    top = MARGIN + HEADER
    bottom = top + kitchen.height * CELL + MARGIN
    under = orders[-1][0] + 1  # the first line below the orders
    width, height = inner + 2 * MARGIN, bottom + (under + (labels[-1][0] + 1 if labels else 0)) * LINE
    left = (width - kitchen.width * CELL) / 2
    fixed: list[Shape] = [Box(0, 0, width, height, FELT, 12), Words(MARGIN, 30, kitchen.name, 15, LIGHT, bold=True)]
    fixed.append(Box(MARGIN, 58, inner, 5, DARK, 2.5))
    # one floor under all: where cells meet, no line of the frame shines through
    fixed.append(Box(left, top, kitchen.width * CELL, kitchen.height * CELL, FLOORS[1]))
    for y in range(kitchen.height):
        for x in range(kitchen.width):
            fixed += _terrain(kitchen.letter((x, y)), left + x * CELL, top + y * CELL, (x + y) % 2)
    for row, group in [*orders, *((under + row, group) for row, group in labels)]:
        fixed += [_shift(shape, MARGIN, bottom + row * LINE) for shape in group]
    moving = [_clock(game, state, width, inner), *_things(game, state, left, top)]
    title = f"{kitchen.name}, step {int(state.time)} of {game.horizon}, score {int(state.score)}"
    return Sketch(width, height, title, fixed, moving)


def view_state(view: View) -> State:
    """The state behind a view: in this game a view shows everything."""
    seat, chefs = int(view.seat), view.chef_words
    seats = tuple(chefs[(absolute - seat) % len(chefs)] for absolute in range(len(chefs)))
    return State(view.time, view.score, seats, view.pot_words, view.lying_words)


def checked_names(game: Overcooked, names: Names) -> Names:
    """Names by seat, or None."""
    if names is not None and len(names) != game.players:
        raise GameError(f"names={list(names)}: give one name per seat, {game.players} in all.")
    return names


def _clock(game: Overcooked, state: State, width: float, inner: float) -> list[Shape]:
    time, score = int(state.time), int(state.score)
    done = inner * min(time / game.horizon, 1)
    shapes: list[Shape] = [
        Words(MARGIN, 48, f"step {time} of {game.horizon}", 12, MUTED),
        Words(width - MARGIN, 33, str(score), 24, GOLD, "end", bold=True),
        Words(width - MARGIN - 17 * len(str(score)) - 6, 32, "score", 12, MUTED, "end"),
    ]
    return [*shapes, Box(MARGIN, 58, done, 5, GOLD, 2.5)] if done >= 5 else shapes


def _orders(game: Overcooked, inner: float) -> Iterator[tuple[int, list[Shape]]]:
    """(line, shapes) of each order: the soup and what it pays."""
    orders, wide = game.kitchen.orders, 74
    room = max(int((inner - 54) // wide), 1)
    for number, code in enumerate(orders.wanted):
        x = 54 + number % room * wide
        price = f"{orders.value(code)}{'★' if code in orders.bonus else ''}"
        shapes: list[Shape] = [] if number else [Words(0, 20, "orders", 12, MUTED)]
        shapes += _soup(x + 13, 15, 12, items.onions_in(code), items.tomatoes_in(code))
        yield number // room, [*shapes, Words(x + 30, 20, price, 13, LIGHT)]


def _labels(game: Overcooked, names: Names, inner: float) -> Iterator[tuple[int, list[Shape]]]:
    """(line, shapes) of each chef's name, as many to a line as fit."""
    row, x = 0, 0.0
    for seat, name in enumerate(checked_names(game, names) or ()):
        shown = name if len(name) <= 24 else name[:23] + "…"
        wide = 48 + 8 * len(shown)
        if x and x + wide > inner:
            row, x = row + 1, 0.0
        badge = Disc(x + 13, 15, 11, CHEFS[seat % len(CHEFS)])
        number = Words(x + 13, 19.5, str(seat), 13, WHITE, "middle", bold=True)
        yield row, [badge, number, Words(x + 30, 20, shown, 13, LIGHT)]
        x += wide


def _shift(shape: Shape, dx: float, dy: float) -> Shape:
    if isinstance(shape, Area):
        return shape._replace(points=tuple((x + dx, y + dy) for x, y in shape.points))
    return shape._replace(x=shape.x + dx, y=shape.y + dy)


def _terrain(letter: str, x: float, y: float, parity: int) -> list[Shape]:
    """One cell of the kitchen itself."""
    if letter == " ":
        return [Box(x, y, CELL, CELL, FLOORS[parity])]
    middle, center = x + CELL / 2, y + CELL / 2
    base: list[Shape] = [Box(x, y, CELL, CELL, WOOD), Box(x + 1.5, y + 1.5, CELL - 3, CELL - 6, BOARD, 5)]
    if letter in "OT":
        crate: list[Shape] = [Box(x + 7, y + 9, 42, 37, "#6e4a26", 4), Box(x + 10, y + 12, 36, 31, "#8d6234", 2)]
        icon = _onion if letter == "O" else _tomato
        spots = ((-9, -5), (9, -5), (-9, 8), (9, 8), (0, 1))
        return base + crate + [shape for dx, dy in spots for shape in icon(middle + dx, center + dy, 8)]
    if letter == "D":
        return base + [shape for lift in (6, 1, -4) for shape in _dish(middle, center + lift, 15)]
    if letter == "S":
        return [*base[:1], Box(x + 1.5, y + 1.5, CELL - 3, CELL - 6, "#4f9a6d", 5), *_bell(middle, center)]
    if letter == "P":
        return [*base[:1], Box(x + 1.5, y + 1.5, CELL - 3, CELL - 6, STOVE, 5), *_pot(middle, center - 4)]
    return base


def _things(game: Overcooked, state: State, left: float, top: float) -> Iterator[list[Shape]]:
    """What lies about, what is in the pots, and the chefs."""
    shot = game.snapshot(state)
    for y, x in np.argwhere(shot["obj"]).tolist():
        middle, center = left + (x + 0.5) * CELL, top + (y + 0.5) * CELL
        soup = int(shot["onions"][y, x]), int(shot["tomatoes"][y, x])
        if game.kitchen.letter((x, y)) == "P":
            time = game.kitchen.orders.time(items.soup(*soup))
            yield cooking(middle, center - 4, *soup, int(shot["tick"][y, x]), time)
        else:
            yield thing(int(shot["obj"][y, x]), *soup, middle, center - 1, 13)
    for seat, (x, y) in enumerate(shot["pos"].tolist()):
        soup = int(shot["held_soup"][seat, 0]), int(shot["held_soup"][seat, 1])
        middle, center = left + (x + 0.5) * CELL, top + (y + 0.5) * CELL
        yield chef(seat, middle, center, int(shot["ori"][seat]), int(shot["held"][seat]), soup)


def chef(seat: int, x: float, y: float, facing: int, held: int, soup: tuple[int, int]) -> list[Shape]:
    ahead = OFFSETS[facing]
    aside = (-ahead[1], ahead[0])

    def at(forward: float, right: float) -> tuple[float, float]:
        return x + forward * ahead[0] + right * aside[0], y + forward * ahead[1] + right * aside[1]

    color = CHEFS[seat % len(CHEFS)]
    reach = 17 if held else 14
    back = at(-4, 0)
    shapes: list[Shape] = [
        Area((at(12, -14), at(26, 0), at(12, 14)), color),
        Disc(*at(-3, 0), 19, color, DARK, 1.5),
        Disc(*at(reach, -11), 5, SKIN, DARK, 1),
        Disc(*at(reach, 11), 5, SKIN, DARK, 1),
        Disc(*back, 12.5, WHITE, RIM, 1.5),
        Words(back[0], back[1] + 6, str(seat), 16, DARK, "middle", bold=True),
    ]
    return [*shapes, *thing(held, *soup, *at(20, 0), 10)] if held else shapes


def thing(code: int, onions: int, tomatoes: int, x: float, y: float, size: float) -> list[Shape]:
    """An object by its recorded code."""
    if code == 3:
        return _soup(x, y, size + 1, onions, tomatoes)
    return {1: _onion, 2: _dish, 4: _tomato}[code](x, y, size)


def _onion(x: float, y: float, r: float) -> list[Shape]:
    stalk = Area(((x - 0.35 * r, y - 0.8 * r), (x, y - 1.5 * r), (x + 0.35 * r, y - 0.8 * r)), ONION_EDGE)
    return [stalk, Disc(x, y, r, ONION, ONION_EDGE, 1.3), _lens(x, y, 0.45 * r, 0.85 * r)]


def _lens(x: float, y: float, wide: float, high: float) -> Shape:
    """The darker middle of an onion."""
    turns = [i * math.pi / 8 for i in range(16)]
    return Area(tuple((x + wide * math.sin(t), y + high * math.cos(t)) for t in turns), "#e9c27c")


def _tomato(x: float, y: float, r: float) -> list[Shape]:
    tips = [(i * math.pi / 5, 0.62 * r if i % 2 == 0 else 0.22 * r) for i in range(10)]
    leaf = tuple((x + far * math.sin(turn), y - 0.3 * r - far * math.cos(turn)) for turn, far in tips)
    return [Disc(x, y, r, TOMATO, TOMATO_EDGE, 1.3), Area(leaf, LEAF)]


def _dish(x: float, y: float, r: float) -> list[Shape]:
    return [Disc(x, y, r, WHITE, RIM, 1.5), Disc(x, y, 0.62 * r, "#f3f6f9", "#c9d1da", 1)]


def _soup(x: float, y: float, r: float, onions: int, tomatoes: int) -> list[Shape]:
    filling = Disc(x, y, 0.74 * r, _broth(onions, tomatoes), "#7a5a22", 1)
    return [Disc(x, y, r, WHITE, RIM, 1.5), filling, *_pieces(x, y, 0.27 * r, onions, tomatoes)]


def _broth(onions: int, tomatoes: int) -> str:
    return BROTHS[2 if onions and tomatoes else 1 if tomatoes else 0]


def _pieces(x: float, y: float, r: float, onions: int, tomatoes: int) -> list[Shape]:
    """One small disc per ingredient; tomatoes have a dark point, so that the two differ without colour."""
    count, shapes = onions + tomatoes, []
    for i in range(count):
        turn = 2 * math.pi * i / count
        far = 0.0 if count == 1 else 1.3 * r
        px, py = x + far * math.sin(turn), y - far * math.cos(turn)
        onion = i < onions
        shapes.append(Disc(px, py, r, ONION if onion else TOMATO, ONION_EDGE if onion else TOMATO_EDGE, 1))
        if not onion:
            shapes.append(Disc(px, py, 0.3 * r, TOMATO_EDGE))
    return shapes


def _pot(x: float, y: float) -> list[Shape]:
    handles = Box(x - 25, y - 4, 50, 8, DARK, 4)
    return [handles, Disc(x, y, 19, STEEL, DARK, 2), Disc(x, y, 14.5, "#353d49", DARK, 1)]


def cooking(x: float, y: float, onions: int, tomatoes: int, tick: int, time: int) -> list[Shape]:
    """A pot's contents, and below it how far they are."""
    liquid = WATER if tick < 0 else _broth(onions, tomatoes)
    shapes: list[Shape] = [Disc(x, y, 14.5, liquid, DARK, 1), *_pieces(x, y, 5, onions, tomatoes)]
    if tick < 0:
        return shapes
    low = y + 22
    if tick >= time:
        tick_mark = ((-4.5, 0), (-1.5, 3), (4.5, -4), (6, -2.2), (-1.3, 6.2), (-6, 1.6))
        mark = Area(tuple((x + dx, y + dy) for dx, dy in tick_mark), WHITE)
        return [*shapes, Disc(x, y, 9, GREEN, WHITE, 1.5), mark, Box(x - 22, low, 44, 6, GREEN, 3)]
    shapes += [Box(x - 22, low, 44, 6, DARK, 3), Box(x - 22, low, max(44 * tick / time, 6), 6, GOLD, 3)]
    return [
        *shapes,
        Disc(x + 17, y - 14, 9, DARK, GOLD, 1),
        Words(x + 17, y - 10, str(time - tick), 11, GOLD, "middle"),
    ]


def _bell(x: float, y: float) -> list[Shape]:
    """A service bell: here soups leave the kitchen."""
    dome = tuple((x + 13 * math.cos(i * math.pi / 12), y + 5 - 14 * math.sin(i * math.pi / 12)) for i in range(13))
    return [Disc(x, y - 11, 3, GOLD, DARK, 1), Area(dome, GOLD), Box(x - 16, y + 6, 32, 5, DARK, 2.5)]
