"""The 62 hand-made numbers that the published behaviour-cloning proxies of 2019 read.

Own 29, partner's 29, the partner's position minus one's own, and a position. The 29 are: facing (4), held onion, soup,
dish (3), the way (dx, dy) to the nearest onion, empty pot, pot with one onion, with two, cooking pot, ready pot, dish,
soup on a counter, serving place (18), and whether terrain blocks north, south, east, west (4).

Quirks of the original are kept, since the proxies were trained with them: pots with one or two onions and soups on
counters are never found, so their ways are (0, 0); things on counters do not count as near; and the last two numbers
are seat 0's position for both seats. "Nearest" counts the steps of a chef alone in the kitchen, turns included.
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, word
from coplay.worlds.overcooked.kitchen.layouts import DIRECTIONS, OFFSETS, Cell, Layout
from coplay.worlds.overcooked.rules import Chef, Pot, ready

if TYPE_CHECKING:
    from coplay.worlds.overcooked.view import View

Array = jax.Array
SIZE = 62
FAR = 10_000
_NEAREST = ("onion", "empty pot", "pot with one onion", "pot with two onions", "cooking pot", "ready pot", "dish")
_NEAREST += ("soup on a counter", "serving place")


class Ways(NamedTuple):
    """Tables over (cell, facing)."""

    fixed: dict[str, np.ndarray]  # letter -> int8 [cells * 4, 2]: (dx, dy) to the nearest, (0, 0) if out of reach
    pot_costs: np.ndarray  # int32 [cells * 4, pots]: steps until the pot is faced
    pot_ways: np.ndarray  # int8 [cells * 4, pots, 2]
    walls: np.ndarray  # int8 [cells * 4, 4]


def bc_features(view: View) -> Array:
    """int8 [62]"""
    own, other = (Chef.of(chef) for chef in view.chef_words)
    own_spot, other_spot = view.positions[0], view.positions[1]
    first = jnp.where(view.seat == 0, own_spot, other_spot)
    parts = [_chef(view, own), _chef(view, other), other_spot - own_spot, first]
    return jnp.concatenate([part.astype(jnp.int8) for part in parts])


def names() -> list[str]:
    """What each of the 62 numbers is."""
    chef = [f"faces {way}" for way in DIRECTIONS] + [f"holds {thing}" for thing in ("an onion", "a soup", "a dish")]
    chef += [f"{axis} to the nearest {what}" for what in _NEAREST for axis in ("dx", "dy")]
    chef += [f"is blocked {way}" for way in DIRECTIONS]
    both = [f"{who} {what}" for who in ("self", "partner") for what in chef]
    return [*both, "partner's x minus own x", "partner's y minus own y", "x of seat 0", "y of seat 0"]


def _chef(view: View, chef: Chef) -> Array:
    """The 29 numbers of one chef."""
    game = view.game
    ways = tables(game.kitchen)
    at = (chef.cell * word(4) + chef.facing).astype(jnp.int32)
    holds = [chef.item == word(ONION), items.is_soup(chef.item), chef.item == word(DISH)]
    pots = Pot.of(jnp.stack(view.pot_words))
    nowhere = jnp.zeros(2, jnp.int8)
    done = ready(game, pots)

    def pot(which: Array) -> Array:
        return _nearest_pot(ways, at, which)

    return jnp.concatenate(
        [
            (chef.facing == np.arange(4, dtype=np.uint32)).astype(jnp.int8),
            jnp.stack(holds).astype(jnp.int8),
            jnp.where(holds[0], 0, jnp.asarray(ways.fixed["O"])[at]),
            pot(pots.contents == word(NOTHING)),
            nowhere,
            nowhere,
            pot(((pots.clock > word(0)) | items.is_full(pots.contents)) & ~done),
            pot(done),
            jnp.where(holds[2], 0, jnp.asarray(ways.fixed["D"])[at]),
            nowhere,
            jnp.asarray(ways.fixed["S"])[at],
            jnp.asarray(ways.walls)[at],
        ]
    )


def _nearest_pot(ways: Ways, at: Array, which: Array) -> Array:
    """int8 [2]: the way to the nearest of some pots; the first of equals, (0, 0) if none is in reach."""
    costs = jnp.where(which, jnp.asarray(ways.pot_costs)[at], FAR)
    best = jnp.argmin(costs)
    return jnp.where(costs[best] < FAR, jnp.asarray(ways.pot_ways)[at, best], 0)


@lru_cache(maxsize=64)
def tables(kitchen: Layout) -> Ways:
    """Path costs and ways from every pose."""
    poses = kitchen.num_cells * 4
    fixed = {letter: np.zeros((poses, 2), np.int8) for letter in "ODS"}
    pots = kitchen.places["P"]
    pot_costs = np.full((poses, len(pots)), FAR, np.int32)
    pot_ways = np.zeros((poses, len(pots), 2), np.int8)
    walls = np.zeros((poses, 4), np.int8)
    for cell in kitchen.places[" "]:
        x, y = cell
        for facing in range(4):
            at = kitchen.index(cell) * 4 + facing
            costs = _costs(kitchen, cell, facing)
            walls[at] = [kitchen.letter((x + dx, y + dy)) != " " for dx, dy in OFFSETS]
            for letter, table in fixed.items():
                # min keeps the first of equals: reading order, as in the original
                near = min(kitchen.places[letter], key=lambda goal: costs.get(goal, FAR))
                if near in costs:
                    table[at] = (near[0] - x, near[1] - y)
            for index, goal in enumerate(pots):
                pot_costs[at, index] = costs.get(goal, FAR)
                pot_ways[at, index] = (goal[0] - x, goal[1] - y)
    return Ways(fixed, pot_costs, pot_ways, walls)


def _costs(kitchen: Layout, cell: Cell, facing: int) -> dict[Cell, int]:
    """Steps until each station in reach is faced, for a chef alone."""
    costs: dict[Cell, int] = {}
    seen, todo = {(cell, facing): 0}, deque([(cell, facing)])
    while todo:
        (x, y), way = pose = todo.popleft()
        front = (x + OFFSETS[way][0], y + OFFSETS[way][1])
        if kitchen.letter(front) != " ":
            costs.setdefault(front, seen[pose])
        for turn, (dx, dy) in enumerate(OFFSETS):
            ahead = (x + dx, y + dy)
            fresh = (ahead if kitchen.letter(ahead) == " " else (x, y), turn)
            if fresh not in seen:
                seen[fresh] = seen[pose] + 1
                todo.append(fresh)
    return costs
