"""A view as a row of words, and back: how a seat over a wire hands its view to any agent of ours."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np

from coplay.faces import faces_of
from coplay.game import Game
from coplay.views.host import fields_of, properties_of

Array = jax.Array


@cache
def packing(game: Game) -> Literal["bits", "uint8", "float32"]:
    """How an observation travels: flags eight to a byte, bytes, or little-endian numbers."""
    shape = jax.eval_shape(lambda key: game.encode(game.view(game.reset(key), 0)), jax.random.key(0))
    if shape.dtype != jnp.uint8:
        return "float32"
    wire = faces_of(game).wire
    return "bits" if wire is not None and wire.flags else "uint8"


def packed_vector(how: str, vector: np.ndarray) -> np.ndarray:
    """An observation as it travels."""
    flat = np.asarray(vector).reshape(-1)
    return np.packbits(flat) if how == "bits" else flat.astype(how)


def view_record(game: Game, view: Any) -> dict[str, Any]:
    """A view as plain values: as its world tells it, or its fields and properties."""
    wire = faces_of(game).wire
    if wire is not None:
        return wire.record(view)
    fields = {**fields_of(view), **properties_of(view)}
    return {
        name: np.asarray(one).tolist() for name, one in fields.items() if name != "vector" and hasattr(one, "shape")
    }


def pack_view(view: Any) -> Array:
    """uint32 [words]: every leaf of the view, in order, a word per number."""
    return jnp.concatenate([_words(jnp.asarray(leaf)) for leaf in jax.tree.leaves(view)])


def unpack_view(game: Game, words: Array | np.ndarray) -> Any:
    """The view that was packed; `words` may be traced."""
    leaves, structure = jax.tree.flatten(_form(game))
    sizes = [int(np.prod(leaf.shape)) for leaf in leaves]
    parts = jnp.split(jnp.asarray(words), np.cumsum(sizes)[:-1])
    return structure.unflatten([_back(part, leaf) for part, leaf in zip(parts, leaves, strict=True)])


def view_words(game: Game) -> int:
    """How many words a view has."""
    return jax.eval_shape(pack_view, _form(game)).shape[0]


@cache
def _form(game: Game) -> Any:
    """The shapes and types of a view: every message needs them, and to find them costs a tenth of a second."""
    return jax.eval_shape(lambda key: game.view(game.reset(key), 0), jax.random.key(0))


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
