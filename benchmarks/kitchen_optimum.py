"""How good are trained kitchens? Prints what the best pair makes in an episode, to set beside what ours make.

Every state of the kitchen is numbered and the best total over the remaining steps computed backwards, exactly. To keep
the states few, chefs lay down onions and dishes but no soups, and only on the first `--counters` counters that touch
the floor (0: none). What a pair could gain by laying down more is not counted, so the true best may be higher.

    python benchmarks/kitchen_optimum.py cramped_room --counters 3
    python benchmarks/kitchen_optimum.py asymmetric_advantages --counters 0
"""

from __future__ import annotations

import argparse
import functools
import itertools
import math
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import coplay
from coplay.worlds.overcooked import rules
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.settings import Overcooked

HELD = (items.NOTHING, items.ONION, items.DISH, items.soup(3, 0))
LAID = HELD[:3]
POT = 26  # 0, 1 or 2 onions, then three of them and the clock

Array = jax.Array


class Numbering:
    """States of a kitchen as numbers: per chef cell, facing and item; per pot a stage; per counter an item."""

    def __init__(self, game: Overcooked, counters: int) -> None:
        kitchen = game.kitchen
        floor = {cell: kitchen.index(cell) for cell in kitchen.places[" "]}
        self.game = game
        self.cells = [sorted(floor[c] for c in kitchen.reachable(start)) for start in kitchen.starts]
        beside = [c for c in kitchen.places["X"] if any(n in floor for n in _around(c))]
        self.counters = [kitchen.index(cell) for cell in beside[:counters]]
        self.pots = len(kitchen.places["P"])
        chefs = [(len(cells), 4, len(HELD)) for cells in self.cells]
        self.sizes = (*itertools.chain(*chefs), *(POT,) * self.pots, *(len(LAID),) * len(self.counters))
        self.count = math.prod(self.sizes)

    def number(self, state: rules.State) -> Array:
        """int32; -1 for a state that has none."""
        digits: list[Array] = []
        for cells, packed in zip(self.cells, state.chefs, strict=True):
            chef = rules.Chef.of(packed)
            digits += [_position(chef.cell, cells), chef.facing.astype(jnp.int32), _position(chef.item, HELD)]
        for packed in state.pots:
            pot = rules.Pot.of(packed)
            digits.append((pot.contents + pot.clock).astype(jnp.int32))
        lies = [items.read(state.lying, jnp.uint32(cell)) for cell in self.counters]
        digits += [_position(item, LAID) for item in lies]
        laid_elsewhere = sum((jax.lax.population_count(w) for w in state.lying), jnp.uint32(0)) != sum(
            (jax.lax.population_count(item) for item in lies), jnp.uint32(0)
        )
        total = jnp.int32(0)
        known = ~laid_elsewhere
        for digit, size in zip(digits, self.sizes, strict=True):
            known = known & (digit >= 0)
            total = total * size + digit
        return jnp.where(known, total, -1)

    def state(self, number: Array) -> rules.State:
        digits: list[Array] = []
        for size in reversed(self.sizes):
            digits.append((number % size).astype(jnp.uint32))
            number = number // size
        digits.reverse()
        empty = rules.start(self.game)
        chefs = []
        for seat, cells in enumerate(self.cells):
            cell, facing, item = digits[3 * seat : 3 * seat + 3]
            chefs.append(rules.Chef(_entry(cells, cell), facing, _entry(HELD, item)).pack())
        after = 3 * len(self.cells)
        pots = [rules.Pot(jnp.minimum(d, 3), d - jnp.minimum(d, 3)).pack() for d in digits[after : after + self.pots]]
        lying = empty.lying
        for cell, digit in zip(self.counters, digits[after + self.pots :], strict=True):
            lying = items.change(lying, jnp.uint32(cell), _entry(LAID, digit))
        return empty._replace(chefs=tuple(chefs), pots=tuple(pots), lying=lying)


def _around(cell: Any) -> list[Any]:
    x, y = cell
    return [(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)]


def _position(value: Array, choices: Any) -> Array:
    """int32: where a value stands among the choices, -1 if nowhere."""
    hits = [jnp.where(value == np.uint32(choice), place + 1, 0) for place, choice in enumerate(choices)]
    return sum(hits, jnp.int32(0)) - 1


def _entry(choices: Any, place: Array) -> Array:
    return jnp.asarray(np.asarray(choices, np.uint32))[place]


def optimum(game: Overcooked, counters: int) -> tuple[int, Numbering]:
    """The most points from the start to the end of an episode."""
    numbering = Numbering(game, counters)
    pairs = list(itertools.product(range(len(rules.ACTIONS)), repeat=game.players))
    numbers = jnp.arange(numbering.count, dtype=jnp.int32)

    @functools.partial(jax.jit, static_argnums=0)
    def follow(actions: tuple[int, ...]) -> tuple[Array, Array]:
        def one(number: Array) -> tuple[Array, Array]:
            after, _, _, points, _ = rules.play(game, numbering.state(number), jnp.asarray(actions))
            return numbering.number(after), points // 20

        return jax.vmap(one)(numbers)

    tables = [follow(pair) for pair in pairs]
    nexts = [after for after, _ in tables]
    soups = [made.astype(jnp.int8) for _, made in tables]

    @jax.jit
    def back(best: Array, nexts: list[Array], soups: list[Array]) -> Array:
        """One step more to go; -100 where no numbered state follows."""
        found = [
            jnp.where(after < 0, jnp.int8(-100), made + best[jnp.maximum(after, 0)])
            for after, made in zip(nexts, soups, strict=True)
        ]
        return functools.reduce(jnp.maximum, found)

    best = jnp.zeros(numbering.count, jnp.int8)
    for _ in range(game.horizon):
        best = back(best, nexts, soups)
    start = numbering.number(rules.start(game))
    return 20 * int(best[start]), numbering


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("layout", help="a name, or the drawing with \\n between its rows")
    parser.add_argument("--counters", type=int, default=0)
    parser.add_argument("--horizon", type=int, default=400)
    given = parser.parse_args()
    begun = time.perf_counter()
    game = coplay.make("overcooked", layout=given.layout.replace("\\n", "\n"), horizon=given.horizon)
    points, numbering = optimum(game, given.counters)
    print(
        f"{given.layout}: the best pair makes {points} points in {given.horizon} steps "
        f"({numbering.count:,} states, {len(numbering.counters)} counters, {time.perf_counter() - begun:.0f} s)",
        flush=True,
    )


if __name__ == "__main__":
    main()
