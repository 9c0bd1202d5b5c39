"""Two sides pull a rope: whoever pulls harder in a round wins it. Nothing is defined that a game need not define."""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp


class State(NamedTuple):
    round: jax.Array
    lead: jax.Array  # rounds that the first side has won more than the second
    luck: jax.Array  # [rounds]: the wind, which helps the first side or the second


@dataclasses.dataclass(frozen=True)
class Tug:
    pullers: int = 2  # of each side
    rounds: int = 3
    sides = 2
    simultaneous = True
    num_actions = 3  # how hard somebody pulls
    players_setting = "pullers"

    @property
    def players(self):
        return 2 * self.pullers

    @property
    def max_steps(self):
        return self.rounds

    def reset(self, key):
        return State(jnp.int32(0), jnp.int32(0), jax.random.randint(key, (self.rounds,), -1, 2))

    def step(self, state, actions):
        wind = state.luck[jnp.minimum(state.round, self.rounds - 1)]
        won = jnp.sign(actions[0::2].sum() - actions[1::2].sum() + wind)
        after = State(state.round + 1, state.lead + won, state.luck)
        return after, won, after.round >= self.rounds

    def view(self, state, seat):
        own = jnp.where(seat % 2 == 0, state.lead, -state.lead)
        return {"round": state.round, "lead": own, "over": state.round >= self.rounds}

    def legal(self, view):
        return jnp.broadcast_to(~view["over"], (self.num_actions,))

    def turn(self, state):
        return jnp.broadcast_to(state.round < self.rounds, (self.players,))

    def score(self, state):
        return state.lead
