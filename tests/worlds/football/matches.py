"""Small matches, and functions of them that are compiled once for all tests."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import coplay
from coplay.agents.random import random_legal

SMALL = "football?players=2&half=12"


@cache
def small(spec: str = SMALL) -> Any:
    return coplay.make(spec)


@cache
def step_of(spec: str = SMALL) -> Any:
    return jax.jit(small(spec).step)


@cache
def start_of(spec: str = SMALL, seed: int = 0) -> Any:
    """A match after its line-up."""
    game = small(spec)
    return step_of(spec)(jax.jit(game.reset)(jax.random.key(seed)), jnp.zeros(game.players, jnp.int32)).state


@cache
def random_matches(games: int = 64) -> Any:
    """Every state of random matches [steps, games, ...], and their actions."""
    game = small()

    def turn(states: Any, key: Any) -> Any:
        legal = jax.vmap(lambda state: jax.vmap(lambda seat: game.legal(game.view(state, seat)))(np.arange(4)))(states)
        actions = jax.vmap(jax.vmap(random_legal))(legal, jax.random.bits(key, legal.shape[:2]))
        after = jax.vmap(game.step)(states, actions)
        return after.state, (after.state, actions, after.reward)

    states = jax.vmap(game.reset)(jax.random.split(jax.random.key(0), games))
    run = jax.jit(lambda states, keys: jax.lax.scan(turn, states, keys)[1])
    found = jax.device_get(run(states, jax.random.split(jax.random.key(1), game.max_steps)))
    return jax.device_get(states), *found


def placed(state: Any, **changes: Any) -> Any:
    """A state with something else: `ball_x=…` of the ball, `x=[…]` of the players, `stun=[…]`."""
    ball = {name[5:]: jnp.int32(value) for name, value in changes.items() if name.startswith("ball_")}
    bodies = {name: jnp.asarray(value, jnp.int32) for name, value in changes.items() if name in state.bodies._fields}
    rest = {name: jnp.asarray(value, jnp.int32) for name, value in changes.items() if name in state._fields}
    return state._replace(ball=state.ball._replace(**ball), bodies=state.bodies._replace(**bodies), **rest)
