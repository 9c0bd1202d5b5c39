"""Random starts, as other kitchens offer them for training: chefs anywhere they can walk, with anything in hand, pots
at any stage. A learner meets from the first episode on what it would otherwise see only when it plays well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.overcooked import rules
from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, ONION, POT_SIZE, word

if TYPE_CHECKING:
    from coplay.worlds.overcooked.settings import Overcooked

Array = jax.Array
HANDS = (NOTHING, ONION, DISH, items.soup(POT_SIZE, 0))
SHARES = (0.5, 0.3, 0.1, 0.1)  # of the hands, in the order of HANDS


def anywhere(game: Overcooked, key: Array) -> rules.State:
    """A random state at time 0; nothing lies on the counters."""
    cell_key, face_key, hand_key, pot_key, clock_key = jax.random.split(key, 5)
    players, pots = game.players, len(game.kitchen.places["P"])
    facing = jax.random.randint(face_key, (players,), 0, 4).astype(jnp.uint32)
    held = jax.random.choice(hand_key, jnp.asarray(HANDS, jnp.uint32), (players,), p=jnp.asarray(SHARES))
    cells = _cells(game, cell_key)
    contents = jax.random.randint(pot_key, (pots,), 0, POT_SIZE + 1).astype(jnp.uint32)
    full = contents == word(POT_SIZE)
    done = game.kitchen.orders.times[items.soup(POT_SIZE, 0)] + 1
    clock = jax.random.randint(clock_key, (pots,), 1, done + 1).astype(jnp.uint32)
    return rules.start(game)._replace(
        chefs=tuple(rules.Chef(cells[seat], facing[seat], held[seat]).pack() for seat in range(players)),
        pots=tuple(rules.Pot(contents[pot], jnp.where(full, clock, 0)[pot]).pack() for pot in range(pots)),
    )


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
