"""Where each card lies on the table.

The rule agents scan a hand from left to right, and a new card lies down where the old one was. Our slots run from the
oldest card to the newest, so the place of every card has to be remembered. Once cards are no longer replaced the gap
stays open: it is the place of an empty slot.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots.hearing import after_use, hear, one_hot
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


def dealt_places(game: Hanabi) -> Array:
    """int32 [players, hand_size]: after the deal the cards lie in the order they came, 0 is leftmost."""
    return jnp.tile(jnp.arange(game.hand_size, dtype=jnp.int32), (game.players, 1))


def moved_places(places: Array, view: View) -> Array:
    """The places after the latest move; players are relative to the viewer."""
    heard = hear(view)
    freed = jnp.where(one_hot(heard.slot, view.game.hand_size), places, 0).sum(1, keepdims=True)
    return after_use(places, heard, freed)
