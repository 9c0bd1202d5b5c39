"""Kitchens as data: reading, checking and naming them. `layouts.txt` explains the format and holds all we know."""

from __future__ import annotations

import dataclasses
import re
from functools import cache, cached_property
from importlib import resources
from pathlib import Path

from coplay.game import GameError
from coplay.specs import did_you_mean
from coplay.worlds.overcooked.kitchen.orders import Orders, read_orders

LETTERS = {"X": "counter", "P": "pot", "O": "onions", "T": "tomatoes", "D": "dishes", "S": "serving place"}
LETTERS |= {" ": "floor"}
DIRECTIONS = ("north", "south", "east", "west")
OFFSETS = ((0, -1), (0, 1), (1, 0), (-1, 0))  # (dx, dy) of the directions; y grows downwards
MAX_CELLS = 1024
_KEYS = ("alias", "orders", "bonus", "value", "time")

Cell = tuple[int, int]  # (x, y), origin in the north-west corner


@dataclasses.dataclass(frozen=True)
class Layout:
    """One checked kitchen. Cells are numbered x * height + y, the order of the encodings."""

    name: str
    rows: tuple[str, ...]  # terrain only: start cells are floor here
    starts: tuple[Cell, ...]
    orders: Orders
    aliases: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        return len(self.rows[0])

    @property
    def height(self) -> int:
        return len(self.rows)

    @property
    def num_cells(self) -> int:
        return self.width * self.height

    def index(self, cell: Cell) -> int:
        return cell[0] * self.height + cell[1]

    def cell(self, index: int) -> Cell:
        return divmod(index, self.height)

    def letter(self, cell: Cell) -> str:
        """Terrain at (x, y)."""
        return self.rows[cell[1]][cell[0]]

    def reachable(self, start: Cell) -> tuple[Cell, ...]:
        """The floor cells a chef can walk to from a start cell, itself included."""
        floor = set(self.places[" "])
        found, todo = {start}, [start]
        while todo:
            x, y = todo.pop()
            near = {(x + dx, y + dy) for dx, dy in OFFSETS} & floor - found
            found |= near
            todo += near
        return tuple(sorted(found))

    @cached_property
    def places(self) -> dict[str, tuple[Cell, ...]]:
        """Letter -> its cells, row by row from the top, as the reference engines order them."""
        cells = [(x, y) for y in range(self.height) for x in range(self.width)]
        return {letter: tuple(c for c in cells if self.letter(c) == letter) for letter in LETTERS}

    def indices(self, letter: str) -> tuple[int, ...]:
        """Cell numbers of a kind of terrain, in the order of `places`."""
        return tuple(self.index(cell) for cell in self.places[letter])

    def region(self, start: Cell) -> frozenset[Cell]:
        """Floor that can be walked to."""
        seen, todo = {start}, [start]
        while todo:
            x, y = todo.pop()
            near = [(x + dx, y + dy) for dx, dy in OFFSETS]
            fresh = [c for c in near if c not in seen and self.letter(c) == " "]
            seen.update(fresh)
            todo.extend(fresh)
        return frozenset(seen)

    def within_reach(self, start: Cell) -> frozenset[str]:
        """Letters a chef who starts here can come to face."""
        return frozenset(self.letter((x + dx, y + dy)) for x, y in self.region(start) for dx, dy in OFFSETS) - {" "}

    def seat(self, chefs: int | None) -> Layout:
        """The kitchen for this many chefs; those without a start cell of their own get the first free floor."""
        if chefs is None:
            return self
        if not isinstance(chefs, int) or isinstance(chefs, bool) or chefs < 1:
            raise GameError(f"chefs={chefs!r}: give a whole number of at least 1, or None for the layout's own number.")
        useful = [c for c in self.places[" "] if c not in self.starts and self.within_reach(c) - {"X"}]
        starts = (*self.starts, *useful)[:chefs]
        if len(starts) < chefs:
            raise GameError(f"chefs={chefs}: {self.name} has room for {len(starts)}; take fewer or another layout.")
        return dataclasses.replace(self, starts=starts)


@cache
def library() -> dict[str, Layout]:
    """Every layout coplay ships, by its own name."""
    text = resources.files("coplay.worlds.overcooked.kitchen").joinpath("layouts.txt").read_text(encoding="utf-8")
    parts = re.split(r"^\[(\w+)\]$", text, flags=re.MULTILINE)[1:]
    return {name: parse(body, name) for name, body in zip(parts[::2], parts[1::2], strict=True)}


def place_of(name: str) -> dict[str, str] | None:
    """The setting that a kitchen's name stands for; None if no kitchen is called so."""
    known = any(name in (one.name, *one.aliases) for one in library().values())
    return {"layout": name} if known else None


def find(layout: str | Path) -> Layout:
    """A layout by name or alias, from a text file, or from the ASCII art itself."""
    text = str(layout)
    if "\n" in text:
        return parse(text, "custom")
    for known in library().values():
        if text in (known.name, *known.aliases):
            return known
    path = Path(text)
    if path.is_file():
        return parse(path.read_text(encoding="utf-8"), path.stem)
    raise GameError(
        f"unknown layout {text!r}: neither a file nor one of {', '.join(library())}.{did_you_mean(text, library())} "
        f"A layout of your own is a text file or a string with line breaks."
    )


def parse(text: str, name: str) -> Layout:
    """A layout from its text; a kitchen that cannot work is refused with the reason."""
    settings: dict[str, str] = {}
    rows: list[str] = []
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if line.startswith("#") or not line.strip():
            continue
        if re.fullmatch(r"\[\w+\]", line.strip()):
            name = line.strip()[1:-1]
        elif colon:
            if key.strip() not in _KEYS:
                raise GameError(f"layout {name}: unknown key {key.strip()!r}; the keys are {', '.join(_KEYS)}.")
            settings[key.strip()] = value.strip()
        else:
            rows.append(line)
    _check_grid(name, rows)
    aliases = tuple(alias.strip() for alias in settings.pop("alias", "").split(",") if alias.strip())
    terrain = tuple(re.sub(r"\d", " ", row) for row in rows)
    layout = Layout(name, terrain, _starts(name, rows), read_orders(name, settings), aliases)
    _check_kitchen(layout)
    return layout


def _check_grid(name: str, rows: list[str]) -> None:
    if not rows:
        raise GameError(f"layout {name}: there is no grid; draw one with the letters {_legend()}.")
    for y, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise GameError(
                f"layout {name}: row {y} ({row!r}) is {len(row)} wide but row 0 is {len(rows[0])} wide; "
                f"all rows need the same width (mind spaces at the ends)."
            )
        for x, letter in enumerate(row):
            if letter not in LETTERS and letter not in "123456789":
                raise GameError(f"layout {name}: unknown letter {letter!r} at {(x, y)}; the letters are {_legend()}.")
            border = x in (0, len(row) - 1) or y in (0, len(rows) - 1)
            if border and letter in " 123456789":
                raise GameError(
                    f"layout {name}: floor on the border at {(x, y)}; every cell of the outer ring must be a counter "
                    f"(X) or a station."
                )
    if len(rows) * len(rows[0]) > MAX_CELLS:
        raise GameError(f"layout {name}: {len(rows) * len(rows[0])} cells; at most {MAX_CELLS} are supported.")


def _starts(name: str, rows: list[str]) -> tuple[Cell, ...]:
    """Start cells in the order of their digits, which must be 1, 2, … without gaps or repeats."""
    found = sorted((letter, (x, y)) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter.isdigit())
    digits = [int(letter) for letter, _ in found]
    if not digits or digits != list(range(1, len(digits) + 1)):
        raise GameError(
            f"layout {name}: start cells {digits or 'missing'}; mark one start per chef with the digits 1, 2, … "
            f"without gaps or repeats."
        )
    return tuple(cell for _, cell in found)


def _check_kitchen(layout: Layout) -> None:
    """Everything an order needs is there, and every chef can walk to something."""
    needed = {"P": "pot", "D": "dish dispenser", "S": "serving place"}
    dispensers = {"O": "onion dispenser", "T": "tomato dispenser"}
    needed |= {letter: dispensers[letter] for letter in layout.orders.letters}
    for letter, what in needed.items():
        if not layout.places[letter]:
            raise GameError(f"layout {layout.name}: no {what}; put at least one {letter!r} into the grid.")
    reach = [layout.within_reach(start) for start in layout.starts]
    for seat, (start, letters) in enumerate(zip(layout.starts, reach, strict=True), start=1):
        if not letters - {"X"}:
            raise GameError(
                f"layout {layout.name}: start {seat} at {start} is walled in, nothing but counters can be reached "
                f"from it; open a way or move the digit."
            )
    for letter, what in needed.items():
        if not any(letter in letters for letters in reach):
            raise GameError(f"layout {layout.name}: no chef can reach a {what} ({letter!r}); open a way to one.")


def _legend() -> str:
    return ", ".join(f"{letter!r} {what}" for letter, what in LETTERS.items()) + ", digits for starts"
