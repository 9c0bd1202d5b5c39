"""All pull a lever at once; only the same one pays. Nothing is defined that a game does not have to define."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    round: jax.Array
    points: jax.Array
    last: jax.Array


@dataclasses.dataclass(frozen=True)
class Levers:
    levers: int = 4
    rounds: int = 3
    players: int = 2
    simultaneous = True

    @property
    def num_actions(self):
        return self.levers

    @property
    def max_steps(self):
        return self.rounds

    def reset(self, key):
        return State(jnp.int32(0), jnp.int32(0), jnp.full(self.players, -1, jnp.int32))

    def step(self, state, actions):
        same = (actions == actions[0]).all()
        after = State(state.round + 1, state.points + same.astype(jnp.int32), actions.astype(jnp.int32))
        return after, same.astype(jnp.float32), after.round >= self.rounds

    def view(self, state, seat):
        return {"round": state.round, "last": jnp.roll(state.last, -seat), "over": state.round >= self.rounds}

    def legal(self, view):
        return jnp.broadcast_to(~view["over"], (self.levers,))

    def turn(self, state):
        return jnp.broadcast_to(state.round < self.rounds, (self.players,))

    def score(self, state):
        return state.points


class First:
    """Always the first lever."""

    def act(self, view):
        return 0


class Follow:
    """What the other one pulled last."""

    def act(self, view):
        return max(int(view.last[1]), 0)
