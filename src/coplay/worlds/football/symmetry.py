"""The match in a mirror along the pitch: left and right change places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Symmetry
from coplay.worlds.football.actions import NUM_ACTIONS, WAYS, mirrored
from coplay.worlds.football.encode import mirror_table, size
from coplay.worlds.football.rules import State

if TYPE_CHECKING:
    from coplay.worlds.football.settings import Football

Array = jax.Array


class Mirror:
    """Number 0 is the match as it is, number 1 its mirror image."""

    def __init__(self, game: Football) -> None:
        bits = np.stack([np.arange(size(game.players)), mirror_table(game.players)])
        moves = np.stack([np.arange(NUM_ACTIONS), [mirrored(action) for action in range(NUM_ACTIONS)]])
        with jax.ensure_compile_time_eval():
            self.bits, self.actions = jnp.asarray(bits, jnp.int32), jnp.asarray(moves, jnp.int32)

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: Array | int) -> Symmetry:
        return Symmetry(self.bits[index], self.actions[index])

    def sample(self, key: Array) -> Symmetry:
        return self[jax.random.randint(key, (), 0, 2)]

    def state(self, state: State, index: Array | int) -> State:
        """The state as it looks under symmetry number `index`."""
        turn = jnp.asarray(index, jnp.int32) == 1
        sign = jnp.where(turn, -1, 1)
        bodies, ball = state.bodies, state.ball
        return state._replace(
            bodies=bodies._replace(
                y=bodies.y * sign, vy=bodies.vy * sign, way=jnp.where(turn, -bodies.way % WAYS, bodies.way)
            ),
            ball=ball._replace(y=ball.y * sign, vy=ball.vy * sign),
            mirror=state.mirror * sign,
        )
