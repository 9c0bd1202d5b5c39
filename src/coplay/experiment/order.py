"""Who is in which condition, and in which order they meet whom.

Participants of a condition are dealt out over cells, the emptiest first. A cell is a row of each square: of the order
of games, of the order of partners, and of who begins. Any so many cells in a row as a square has rows hold each of its
rows as often, so orders are balanced long before all cells are filled.
"""

from __future__ import annotations

import hashlib
import hmac
import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from coplay.experiment.plan import Block, Plan


def williams(size: int) -> list[tuple[int, ...]]:
    """A balanced Latin square: in its rows everything stands in every place as often, and follows everything else as
    often (Williams 1949). `size` rows, or twice as many where size is odd and more than 1."""
    first = [(place + 1) // 2 if place % 2 else -(place // 2) % size for place in range(size)]
    rows = [tuple((one + row) % size for one in first) for row in range(size)]
    return rows if size % 2 == 0 or size == 1 else rows + [row[::-1] for row in rows]


def digest(secret: str, *names: str | int) -> str:
    """64 hex digits that only these names of this secret have."""
    text = "\0".join(map(str, names))
    return hmac.new(secret.encode(), text.encode(), hashlib.sha256).hexdigest()


def drawn(size: int, seed: int, *names: str | int) -> tuple[int, ...]:
    """An order of 0 … size - 1 that these names draw from the seed."""
    return tuple(sorted(range(size), key=lambda one: digest(str(seed), *names, one)))


def condition_for(plan: Plan, taken: Mapping[str, int], number: int) -> str:
    """The condition of the participant with this number: one of the emptiest; `taken`: how many are in each."""
    names = plan.condition_names
    least = min(taken.get(name, 0) for name in names)
    return min(
        (name for name in names if taken.get(name, 0) == least),
        key=lambda name: digest(str(plan.seed), "condition", number, name),
    )


def cell_for(plan: Plan, condition: str, taken: Mapping[int, int]) -> int:
    """The first of the emptiest cells of a condition; `taken`: how many are in each."""
    return min(range(cells(plan, condition)), key=lambda cell: (taken.get(cell, 0), cell))


def cells(plan: Plan, condition: str) -> int:
    """How many ways there are to be dealt with in a condition before they come again."""
    blocks = plan.blocks_in(condition)
    outer = len(williams(len(blocks))) if plan.game_order == "latin" else 1
    inner = [
        (len(williams(len(one.partners))) if plan.order == "latin" else 1)
        * (one.make().players if one.seat is None else 1)
        for one in blocks
    ]
    return outer * math.lcm(*inner)


class Place(NamedTuple):
    """Somebody in the order of a study."""

    condition: str
    cell: int
    number: int  # of the participant


def block_order(plan: Plan, place: Place) -> list[Block]:
    """The games of a participant, in their order."""
    blocks = plan.blocks_in(place.condition)
    if plan.game_order == "file":
        return list(blocks)
    if plan.game_order == "random":
        return [blocks[one] for one in drawn(len(blocks), plan.seed, "games", place.number)]
    rows = williams(len(blocks))
    return [blocks[one] for one in rows[place.cell % len(rows)]]


def partner_order(plan: Plan, block: Block, place: Place) -> Sequence[int]:
    """The partners of a game by number, in the order in which a participant meets them."""
    if plan.order == "random":
        return drawn(len(block.partners), plan.seed, "partners", block.name, place.number)
    rows = williams(len(block.partners))
    return rows[_inner(plan, place) % len(rows)]


def first_seat(plan: Plan, block: Block, place: Place) -> int:
    """Where a participant sits in the first game of a block; from game to game they move on by one."""
    rows = len(williams(len(block.partners))) if plan.order == "latin" else 1
    return _inner(plan, place) // rows % block.make().players if block.seat is None else block.seat


def _inner(plan: Plan, place: Place) -> int:
    """The part of a cell that says nothing of the order of games."""
    outer = len(williams(len(plan.blocks_in(place.condition)))) if plan.game_order == "latin" else 1
    return place.cell // outer
