"""Random starts, as other kitchens offer them for training: chefs anywhere they can walk, with anything in hand, pots
at any stage, in some of them things on counters. A learner meets from the first episode on what it would otherwise see
only when it plays well, or never.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.overcooked import rules
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, POT_SIZE, word
from coplay.worlds.overcooked.kitchen.layouts import OFFSETS

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

Array = jax.Array
HANDS = (NOTHING, ONION, DISH, items.soup(POT_SIZE, 0))
SHARES = (0.5, 0.3, 0.1, 0.1)  # of the hands, in the order of HANDS
LEFT = (0.0, 0.5, 0.3, 0.2)  # of what lies on counters


def anywhere(game: Overcooked, key: Array) -> rules.State:
    """A random state at time 0; in `game.cluttered_starts` of them things lie on counters."""
    cell_key, face_key, hand_key, pot_key, clock_key = jax.random.split(key, 5)
    players, pots = game.players, len(game.kitchen.places["P"])
    facing = jax.random.randint(face_key, (players,), 0, 4).astype(jnp.uint32)
    held = jax.random.choice(hand_key, jnp.asarray(HANDS, jnp.uint32), (players,), p=jnp.asarray(SHARES))
    cells = _cells(game, cell_key)
    contents = jax.random.randint(pot_key, (pots,), 0, POT_SIZE + 1).astype(jnp.uint32)
    full = contents == word(POT_SIZE)
    done = game.kitchen.orders.times[items.soup(POT_SIZE, 0)] + 1
    clock = jax.random.randint(clock_key, (pots,), 1, done + 1).astype(jnp.uint32)
    lying = {"lying": _cluttered(game, jax.random.fold_in(key, 1))} if game.cluttered_starts else {}
    return rules.start(game)._replace(
        **lying,
        chefs=tuple(rules.Chef(cells[seat], facing[seat], held[seat]).pack() for seat in range(players)),
        pots=tuple(rules.Pot(contents[pot], jnp.where(full, clock, 0)[pot]).pack() for pot in range(pots)),
    )


def _cluttered(game: Overcooked, key: Array) -> tuple[Array, ...]:
    """What lies on the counters that somebody can reach: in some kitchens nothing, in others a thing here and there,
    and now and then on all of them, for the share of covered counters is drawn too, small ones more often."""
    kitchen = game.kitchen
    near = {cell for start in kitchen.starts for cell in kitchen.reachable(start)}
    counters = [c for c in kitchen.places["X"] if any((c[0] + dx, c[1] + dy) in near for dx, dy in OFFSETS)]
    some_key, share_key, there_key, what_key = jax.random.split(key, 4)
    share = jax.random.uniform(share_key) ** 2
    some = jax.random.uniform(some_key) < game.cluttered_starts
    there = some & (jax.random.uniform(there_key, (len(counters),)) < share)
    things = jax.random.choice(what_key, jnp.asarray(HANDS, jnp.uint32), (len(counters),), p=jnp.asarray(LEFT))
    items_on = jnp.zeros(kitchen.num_cells, jnp.uint32)
    cells = np.asarray([kitchen.index(cell) for cell in counters], np.int32)
    return items.gather_up(items_on.at[cells].set(jnp.where(there, things, NOTHING)))


def _cells(game: Overcooked, key: Array) -> list[Array]:
    """uint32 per chef: different cells, each one that its chef can walk to from its start."""
    kitchen = game.kitchen
    cells: list[Array] = []
    for seat, start in enumerate(kitchen.starts):
        room = np.asarray([kitchen.index(cell) for cell in kitchen.reachable(start)], np.uint32)
        draw = jax.random.uniform(jax.random.fold_in(key, seat), room.shape)
        for taken in cells:
            draw = jnp.where(room == taken, -1.0, draw)
        cells.append(jnp.asarray(room)[jnp.argmax(draw)])
    return cells
