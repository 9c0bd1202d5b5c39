"""The action mask ZSC-Eval trains with: actions that cannot change anything are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp

from coplay.worlds.overcooked.kitchen import items
from coplay.worlds.overcooked.kitchen.items import DISH, NOTHING, word
from coplay.worlds.overcooked.rules import Chef, faced, is_in, neighbour

if TYPE_CHECKING:
    from coplay.worlds.overcooked.view import View

Array = jax.Array


def useful_actions(view: View) -> Array:
    """bool [6]: no move towards terrain one already faces, no interact that has nothing to act on; stay always."""
    kitchen = view.game.kitchen
    chef = Chef.of(view.chef_words[0])
    moves = []
    for way in range(4):
        ahead = neighbour(kitchen, chef.cell, jnp.full_like(chef.facing, way))
        moves.append(is_in(ahead, kitchen.indices(" ")) | (chef.facing != word(way)))
    target, item = faced(kitchen, chef), chef.item
    on = {letter: is_in(target, kitchen.indices(letter)) for letter in "XOTDSP"}
    empty = item == word(NOTHING)
    occupied = items.read(view.lying_words, target) != word(NOTHING)
    acts = (
        (on["X"] & (empty == occupied))
        | ((on["O"] | on["T"] | on["D"]) & empty)
        | (on["P"] & ((item == word(DISH)) | items.is_ingredient(item)))
        | (on["S"] & items.is_soup(item))
    )
    return jnp.stack([*moves, jnp.ones_like(acts), acts])
