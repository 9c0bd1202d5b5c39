"""A player that takes a uniformly random legal action."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.games.game import Game

Array = jax.Array


def random_legal(legal: Array, bits: Array) -> Array:
    """A uniform choice among the True entries of `legal` from one random uint32; 0 where none is True.

    One number and a running count: cheaper than a random number per action.
    """
    count = legal.sum(dtype=jnp.uint32)
    # The high half of a 32x32-bit product without 64-bit integers: 16 random bits choose among at most 2^16 actions.
    chosen = ((bits >> 16) * count) >> 16
    position = jnp.cumsum(legal, dtype=jnp.uint32)
    return jnp.argmax(legal & (position == chosen + 1)).astype(jnp.int32)


class RandomPolicy(eqx.Module):
    """Uniform over the legal actions."""

    game: Game = eqx.field(static=True)
    name: str = eqx.field(static=True, default="random")
    hears = "own"

    def start(self) -> None:
        return None

    def act(self, memory: None, view, key: Array) -> tuple[None, Array]:
        return memory, random_legal(self.game.legal(view), jax.random.bits(key, (), jnp.uint32))
