"""A view as a row of words, and back: how a seat over a wire hands its view to any agent of ours."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.games.game import Game

Array = jax.Array


def pack_view(view: Any) -> Array:
    """uint32 [words]: every leaf of the view, in order, a word per number."""
    return jnp.concatenate([_words(jnp.asarray(leaf)) for leaf in jax.tree.leaves(view)])


def unpack_view(game: Game, words: Array | np.ndarray) -> Any:
    """The view that was packed; `words` may be traced."""
    shape = jax.eval_shape(lambda key: game.view(game.reset(key), 0), jax.random.key(0))
    leaves, structure = jax.tree.flatten(shape)
    sizes = [int(np.prod(leaf.shape)) for leaf in leaves]
    parts = jnp.split(jnp.asarray(words), np.cumsum(sizes)[:-1])
    return structure.unflatten([_back(part, leaf) for part, leaf in zip(parts, leaves, strict=True)])


def view_words(game: Game) -> int:
    """How many words a view has."""
    return jax.eval_shape(lambda key: pack_view(game.view(game.reset(key), 0)), jax.random.key(0)).shape[0]


def _words(leaf: Array) -> Array:
    flat = leaf.reshape(-1)
    if jnp.issubdtype(flat.dtype, jnp.floating):
        return jax.lax.bitcast_convert_type(flat.astype(jnp.float32), jnp.uint32)
    return flat.astype(jnp.int32).astype(jnp.uint32) if flat.dtype != jnp.uint32 else flat


def _back(words: Array, leaf: Any) -> Array:
    if jnp.issubdtype(leaf.dtype, jnp.floating):
        return jax.lax.bitcast_convert_type(words, jnp.float32).astype(leaf.dtype).reshape(leaf.shape)
    if leaf.dtype == jnp.uint32:
        return words.reshape(leaf.shape)
    return jax.lax.bitcast_convert_type(words, jnp.int32).astype(leaf.dtype).reshape(leaf.shape)
