"""Three players, a bit each. Whoever holds the token says a bit and hands the token to anybody, or guesses."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    bits: jax.Array
    said: jax.Array
    holder: jax.Array
    time: jax.Array
    points: jax.Array


class View(NamedTuple):
    own: jax.Array
    said: jax.Array
    seat: jax.Array
    to_move: jax.Array


@dataclasses.dataclass(frozen=True)
class Tokens:
    """Actions 0 to 5 say bit `action % 2` and hand the token to seat `action // 2`; 6: all bits are equal, 7: not."""

    length: int = 6
    players = 3
    num_actions = 8

    @property
    def max_steps(self):
        return self.length

    def reset(self, key):
        bits, holder = jax.random.split(key)
        draw = jax.random.randint
        return State(draw(bits, (3,), 0, 2), jnp.full(3, -1), draw(holder, (), 0, 3), jnp.int32(0), jnp.float32(0))

    def step(self, state, actions):
        action = actions[state.holder]
        guesses = action >= 6
        right = (state.bits == state.bits[0]).all() == (action == 6)
        paid = jnp.where(guesses, jnp.where(right, 2.5, -1.5), 0)
        said = jnp.where(guesses, state.said, state.said.at[state.holder].set(action % 2))
        holder = jnp.where(guesses, state.holder, action // 2)
        after = State(state.bits, said, holder, state.time + 1, state.points + paid)
        return after, paid, ~self.turn(after).any()

    def view(self, state, seat):
        return View(state.bits[seat], state.said, jnp.int32(seat), self.turn(state)[seat])

    def legal(self, view):
        other = jnp.arange(6) // 2 != view.seat
        told = jnp.broadcast_to((view.said >= 0).any(), (2,))
        return view.to_move & jnp.concatenate([other, told])

    def turn(self, state):
        return (jnp.arange(3) == state.holder) & (state.time < self.length) & (state.points == 0)

    def score(self, state):
        return state.points

    def change_hidden(self, state, seat, key):
        others = jax.random.randint(key, (3,), 0, 2)
        return state._replace(bits=jnp.where(jnp.arange(3) == seat, state.bits, others))
