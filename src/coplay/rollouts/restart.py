"""Endless play: finished games of a batch begin anew, without shuffling a deck for every game at every step."""

from __future__ import annotations

from typing import Any, TypeVar

import jax
import jax.numpy as jnp

from coplay.game import Game

Array = jax.Array
State = TypeVar("State")


def finished(game: Game, states: Any) -> Array:
    """bool [batch]: nobody is to move."""
    return ~jax.vmap(game.turn)(states).any(-1)


def default_room(batch: int) -> int:
    """How many games to shuffle at each step: all of a small batch on a GPU, where work is cheaper than launches."""
    return batch if jax.default_backend() == "gpu" and batch <= 8192 else max(batch // 8, 1)


def restart(game: Game, states: State, key: Array, room: int | None = None) -> State:
    """Gives up to `room` finished games of the batch a fresh start; the others wait for the next call."""
    return renew(game, states, finished(game, states), key, room)[0]


def renew(game: Game, states: State, due: Array, key: Array, room: int | None = None) -> tuple[State, Array]:
    """Begins up to `room` of the games that are `due` anew; also says which.

    Only `room` games are ever shuffled, so a call costs little when few games end, and there is no branch on the data,
    which a GPU would have to wait for.
    """
    batch = due.shape[0]
    room = min(room or default_room(batch), batch)
    fresh = jax.vmap(game.reset)(jax.random.split(key, room))
    chosen = due
    if room < batch:
        place = jnp.cumsum(due, dtype=jnp.int32) - 1
        chosen = due & (place < room)
        fresh = jax.tree.map(lambda leaf: jnp.take(leaf, place, 0, mode="clip"), fresh)
    return where_games(chosen, fresh, states), chosen


def where_games(chosen: Array, new: State, old: State) -> State:
    """Leaf by leaf [batch, ...]: `new` in the chosen games, `old` in the others."""

    def pick(new: Array, old: Array) -> Array:
        return jnp.where(jax.lax.broadcast_in_dim(chosen, old.shape, (0,)), new, old)

    return jax.tree.map(pick, new, old)
