"""A turn game with something hidden: the first seat sees a number and says a word, the second guesses the number."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    secret: jax.Array
    word: jax.Array
    turn: jax.Array
    points: jax.Array


class View(NamedTuple):
    secret: jax.Array
    word: jax.Array
    mine: jax.Array


@dataclasses.dataclass(frozen=True)
class Words:
    numbers: int = 3
    players = 2
    max_steps = 2
    max_score = 1

    @property
    def num_actions(self):
        return self.numbers

    def reset(self, key):
        return State(jax.random.randint(key, (), 0, self.numbers), jnp.int32(-1), jnp.int32(0), jnp.int32(0))

    def step(self, state, actions):
        chosen = actions[state.turn]
        right = (state.turn == 1) & (chosen == state.secret)
        word = jnp.where(state.turn == 0, chosen, state.word)
        after = State(state.secret, word, state.turn + 1, state.points + right)
        return after, right.astype(jnp.float32), after.turn >= 2

    def view(self, state, seat):
        return View(jnp.where(seat == 0, state.secret, -1), state.word, state.turn == seat)

    def legal(self, view):
        return jnp.broadcast_to(view.mine, (self.numbers,))

    def turn(self, state):
        return jnp.arange(2) == state.turn

    def score(self, state):
        return state.points


class Honest:
    """Says what it sees, and believes what it hears."""

    def act(self, view):
        return int(view.secret) if int(view.secret) >= 0 else int(view.word)
