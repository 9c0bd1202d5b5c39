"""A player that takes a uniformly random legal action."""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game

Array = jax.Array


def random_legal(legal: Array, bits: Array) -> Array:
    """A uniform choice among the True entries of `legal` [actions] from one random uint32; 0 where none is True.

    One number and an unrolled running count: cheaper than a random number per action or a scan along an axis.
    """
    flags = [legal[action] for action in range(legal.shape[0])]
    count = jnp.uint32(0)
    for flag in flags:
        count = count + flag
    # The high half of a product of 16 bits each: uniform to one part in 2^16 divided by the number of legal actions.
    left = ((bits >> 16) * count) >> 16
    action = jnp.int32(0)
    for index, flag in enumerate(flags):
        action = jnp.where(flag & (left == 0), index, action)
        left = jnp.where(flag, left - 1, left)
    return action


class RandomPolicy(eqx.Module):
    """Uniform over the legal actions."""

    game: Game = eqx.field(static=True)
    name: str = eqx.field(static=True, default="random")
    hears = "own"

    def start(self) -> None:
        return None

    def act(self, memory: None, view, key: Array) -> tuple[None, Array]:
        return memory, random_legal(self.game.legal(view), jax.random.bits(key, (), jnp.uint32))
