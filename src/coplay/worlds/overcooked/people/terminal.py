"""Pictures of a kitchen as coloured text, for `rich.print`. Each cell is six characters wide and two lines high."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from rich.console import Group
from rich.text import Text

from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.people.sketch import CHEFS, Names, checked_names, view_state
from coplay.worlds.overcooked.rules import State

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked
    from coplay.worlds.overcooked.view import View

WIDE = 6
# (text, style) of the terrain; there is text everywhere, so that it reads without colour too
CELLS = {
    " ": ("·", "#b9ab90 on #efe6d6"),
    "X": ("░" * WIDE, "#ab8a60 on #9c7a51"),
    "P": ("pot", "bold #ffffff on #46505f"),
    "O": ("ONION", "bold #3a2a10 on #d9b06a"),
    "T": ("TOMAT", "bold #ffffff on #b23a2a"),
    "D": ("DISH", "bold #2b323d on #dfe5ec"),
    "S": ("SERVE", "bold #ffffff on #3b8058"),
}
THINGS = {1: "onion", 2: "dish", 4: "tomat"}
ARROWS = "▲▼▶◀"


def kitchen_terminal(view: View, names: Names = None) -> Group:
    """The kitchen as the view's seat sees it, for `rich.print`."""
    return state_terminal(view.game, view_state(view), names, you=int(view.seat))


def state_terminal(game: Overcooked, state: State, names: Names = None, you: int | None = None) -> Group:
    """The kitchen, for `rich.print`; `you` marks a seat as the reader's."""
    shot = game.snapshot(state)
    kitchen = game.kitchen
    chefs = {(x, y): seat for seat, (x, y) in enumerate(shot["pos"].tolist())}
    lines = [Text(f"Step {int(state.time)} of {game.horizon}   Score {int(state.score)}", "bold")]
    for y in range(kitchen.height):
        upper, lower = Text(), Text()
        for x in range(kitchen.width):
            if (x, y) in chefs:
                _chef(upper, lower, shot, chefs[x, y])
            else:
                _cell(upper, lower, game, shot, x, y)
        lines += [upper, lower]
    lines.append(_legend(game, names, you))
    lines.append(Text(f"Orders: {_orders(game)}", "dim"))
    return Group(*lines)


def _cell(upper: Text, lower: Text, game: Overcooked, shot: dict[str, np.ndarray], x: int, y: int) -> None:
    letter = game.kitchen.letter((x, y))
    first, style = CELLS[letter]
    below = style
    code, second = int(shot["obj"][y, x]), ""
    soup = _soup(int(shot["onions"][y, x]), int(shot["tomatoes"][y, x]))
    if letter == "P" and code:
        first, second = soup, _progress(game, shot, x, y)
        if second == "READY":
            style = below = "bold #ffffff on #2a8a56"
    elif letter == "X":
        second = first
        if code:
            first, style = f"({soup})" if code == 3 else THINGS[code], "bold #ffffff on #9c7a51"
    upper.append(first.center(WIDE), style)
    lower.append(second.center(WIDE), below)


def _chef(upper: Text, lower: Text, shot: dict[str, np.ndarray], seat: int) -> None:
    style = f"bold #ffffff on {CHEFS[seat % len(CHEFS)]}"
    code = int(shot["held"][seat])
    onions, tomatoes, _ = shot["held_soup"][seat].tolist()
    upper.append(f"{ARROWS[int(shot['ori'][seat])]} {seat}".center(WIDE), style)
    lower.append((f"({_soup(onions, tomatoes)})" if code == 3 else THINGS.get(code, "")).center(WIDE), style)


def _soup(onions: int, tomatoes: int) -> str:
    return "o" * onions + "t" * tomatoes


def _progress(game: Overcooked, shot: dict[str, np.ndarray], x: int, y: int) -> str:
    tick = int(shot["tick"][y, x])
    if tick < 0:
        return "idle"
    left = game.kitchen.orders.time(items.soup(int(shot["onions"][y, x]), int(shot["tomatoes"][y, x]))) - tick
    return f"-{left}" if left else "READY"


def _orders(game: Overcooked) -> str:
    orders = game.kitchen.orders
    soups = [(_soup(items.onions_in(code), items.tomatoes_in(code)), code) for code in orders.wanted]
    return ", ".join(f"{soup} pays {orders.value(code)}" for soup, code in soups)


def _legend(game: Overcooked, names: Names, you: int | None) -> Text:
    named = checked_names(game, names)
    legend = Text()
    for seat in range(game.players):
        legend.append(f" {seat} ", f"bold #ffffff on {CHEFS[seat % len(CHEFS)]}")
        parts = [named[seat]] if named else []
        parts += ["you"] if seat == you and "you" not in parts else []
        legend.append(f" {', '.join(parts) or 'chef'}   ")
    return legend
