"""A kitchen as a cook sees it: poses as nodes, things by station, pots by what they need."""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.player import AgentError
from coplay.worlds.overcooked import Overcooked, View
from coplay.worlds.overcooked.bots.distances import FloorPlan, floor_plan
from coplay.worlds.overcooked.kitchen import items as it
from coplay.worlds.overcooked.rules import Chef, Pot

Array = jax.Array


class Scene(NamedTuple):
    """What matters, own first where there is one entry per chef."""

    nodes: tuple[Array, ...]  # int32 per chef
    hands: tuple[Array, ...]  # uint32 per chef: item codes
    lying: Array  # uint32 [stations]: item codes
    missing: Array  # int32 [pots]: ingredients until full
    left: Array  # int32 [pots]: steps until ready, 0 when ready, -1 while not cooking


def look(view: View) -> Scene:
    """The scene in a view."""
    kitchen = view.game.kitchen
    plan = floor_plan(kitchen)
    chefs = [Chef.of(chef) for chef in view.chef_words]
    floor = jnp.asarray(plan.floor)
    pots = Pot.of(jnp.stack(view.pot_words))
    sizes = [it.onions_in(code) + it.tomatoes_in(code) if code in it.SOUPS else 0 for code in range(it.CODES)]
    return Scene(
        nodes=tuple(floor[chef.cell.astype(jnp.int32)] * 4 + chef.facing.astype(jnp.int32) for chef in chefs),
        hands=tuple(chef.item for chef in chefs),
        lying=it.spread(view.lying_words, kitchen.num_cells)[plan.stations],
        missing=it.POT_SIZE - it.lookup(pots.contents, sizes),
        left=view.pot_remaining,
    )


def pots_as_stations(plan: FloorPlan, pots: Array) -> Array:
    """bool [stations] from bool [pots]; pots are the first stations, in the order of the game."""
    rest = len(plan.stations) - pots.shape[0]
    return jnp.concatenate([pots, jnp.zeros(rest, bool)])


def onion_kitchen(name: str, game: Game) -> Overcooked:
    """The game, if somebody ordered three-onion soup in it; the scripted cooks make no other."""
    if not isinstance(game, Overcooked):
        raise AgentError(f"{name} plays overcooked, not {game.name}.")
    if it.soup(3, 0) not in game.kitchen.orders.wanted:
        raise AgentError(
            f"{name} cooks three-onion soups, which nobody orders in {game.kitchen.name}; choose another layout."
        )
    return game


def uniforms(key: Array, count: int) -> list[Array]:
    """Independent float32 in [0, 1)."""
    bits = jax.random.bits(key, (count,), jnp.uint32)
    return list((bits >> np.uint32(8)).astype(jnp.float32) * np.float32(2.0**-24))


def least(values: Array) -> tuple[Array, Array]:
    """(int32 index of the smallest entry, the first on ties; its value) of small non-negative integers.

    One plain minimum over value and index together: much cheaper than argmin, which XLA compiles to a slow loop.
    """
    size = values.shape[0]
    smallest = (values.astype(jnp.int32) * size + jnp.arange(size)).min()
    return smallest % size, smallest // size
