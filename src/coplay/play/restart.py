"""Endless play: finished games of a batch begin anew, without shuffling a deck for every game at every step."""

from __future__ import annotations

from typing import TypeVar

import jax
import jax.numpy as jnp

from coplay.games.game import Game

Array = jax.Array
State = TypeVar("State")


def finished(game: Game, states: State) -> Array:
    """bool [batch]: nobody is to move."""
    return ~jax.vmap(game.turn)(states).any(-1)


def restart(game: Game, states: State, key: Array, room: int) -> State:
    """Gives up to `room` finished games of the batch a fresh start; the others wait for the next call.

    Only `room` games are ever shuffled, so a call costs little when few games end, and there is no branch on the data,
    which a GPU would have to wait for.
    """
    done = finished(game, states)
    place = jnp.cumsum(done, dtype=jnp.int32) - 1
    chosen = done & (place < room)
    fresh = jax.vmap(game.reset)(jax.random.split(key, room))
    source = jnp.clip(place, 0, room - 1)

    def renew(new: Array, old: Array) -> Array:
        return jnp.where(chosen.reshape((-1,) + (1,) * (old.ndim - 1)), new[source], old)

    return jax.tree.map(renew, fresh, states)
