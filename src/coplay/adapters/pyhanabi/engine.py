"""The rules that `pyhanabi` plays by: compiled calls of the game, on positions packed into one vector each."""

from __future__ import annotations

import dataclasses
from functools import lru_cache, partial
from itertools import islice
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi import Hanabi, State

Array = jax.Array


class Outcome(NamedTuple):
    """What a move led to."""

    position: Array | np.ndarray  # uint32: see `pack`
    legal: Array  # bool [num_actions]: of the seat to move
    vectors: Array  # uint8 [players, bits]: what every seat observes


@partial(jax.jit, static_argnums=0)
def shuffle(game: Hanabi, key: Array, index: int) -> Array:
    """The first position of game number `index` of a series."""
    return pack(game.reset(jax.random.fold_in(key, index)))


@partial(jax.jit, static_argnums=0)
def begin(game: Hanabi, deck: np.ndarray, start_player: int) -> Array:
    """The first position with this deck, int [cards, 2] of (colour, rank)."""
    return pack(game.deal(deck, start_player))


@partial(jax.jit, static_argnums=0)
def turn(game: Hanabi, position: Array | np.ndarray, action: int) -> Outcome:
    """Plays an action of the seat to move.

    An action outside the range changes nothing, so that -1 only looks; everything takes a single compiled call.
    """
    state = game.step(_unpack(game, position), jnp.full(game.players, action)).state
    # The reference lists legal moves after the end too, and agents written for it may look at them.
    mover = dataclasses.replace(game.view(state, state.seat), done=jnp.asarray(False))
    vectors = jax.vmap(lambda seat: game.encode(game.view(state, seat)))(jnp.arange(game.players))
    return Outcome(pack(state), game.legal(mover), vectors)


def look(game: Hanabi, position: Array | np.ndarray) -> Outcome:
    """The position as it is."""
    return turn(game, position, -1)


def pack(state: State) -> Array:
    """All leaves as one uint32 vector: passing thirty small arrays to a compiled function costs more than a turn."""
    return jnp.concatenate([jnp.ravel(leaf).astype(jnp.uint32) for leaf in jax.tree.leaves(state)])


def plain(game: Hanabi, position: Array | np.ndarray) -> Any:
    """A packed position on the host: a `State` of plain numbers without a sign."""
    leaves, structure = _layout(game)
    numbers = iter(np.asarray(position).tolist())
    return structure.unflatten(
        [next(numbers) if not leaf.shape else tuple(islice(numbers, leaf.size)) for leaf in leaves]
    )


def pack_plain(board: Any) -> np.ndarray:
    """The position that `plain` made numbers of."""
    return np.asarray(jax.tree.leaves(board), np.uint32)


def _unpack(game: Hanabi, position: Array | np.ndarray) -> State:
    """The state that `pack` made a vector of."""
    leaves, structure = _layout(game)
    parts = jnp.split(position, np.cumsum([leaf.size for leaf in leaves])[:-1])
    return structure.unflatten(
        part.reshape(leaf.shape).astype(leaf.dtype) for part, leaf in zip(parts, leaves, strict=True)
    )


@lru_cache
def _layout(game: Hanabi) -> tuple[list[jax.ShapeDtypeStruct], Any]:
    return jax.tree.flatten(jax.eval_shape(game.reset, jax.random.key(0)))
