"""The outlook of off-belief learning: decisions are judged in a world drawn from the seat's belief.

A seat's own cards (what it cannot see) are drawn anew, its move is made there, and the others answer to what they then
see. So a move is worth what it does given the facts, whatever habits led to the true cards: nothing is gained by a
secret meaning of earlier moves, and none arises.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.faces import Belief
from coplay.game import Step
from coplay.nets.network import Network
from coplay.nets.policy import masked, observe
from coplay.train.learner.rollout import think
from coplay.train.learner.stage import Foresight, Outlook, Stage

Array = jax.Array


class OffBelief(Foresight):
    """One round in a redrawn world: the own move, one of each other seat, and the value of the own next view."""

    belief: Belief = eqx.field(static=True)

    def outlook(self, stage: Stage, networks: Network, states: Any, seat: Array, actions: Array, key: Array) -> Outlook:
        game = stage.game
        seat = seat[:, 0]
        redraw, others = jax.random.split(key)

        def redrawn(state: Any, seat: Array, key: Array) -> Any:
            return self.belief.redraw(game, state, seat, key)

        world = jax.vmap(redrawn)(states, seat, jax.random.split(redraw, seat.size))
        step: Step = jax.vmap(game.step)(world, actions)
        reward, ends = step.reward, step.done
        for its_key in jax.random.split(others, game.players - 1):
            # A finished game pays nothing more, so nobody needs to be told that it is over.
            step = _answer(stage, networks, step.state, its_key)
            reward, ends = reward + step.reward, ends | step.done
        _, value, _ = _thoughts(stage, networks, step.state, seat)
        return Outlook(*(column[:, None] for column in (reward, ends, value)))


def _answer(stage: Stage, networks: Network, states: Any, key: Array) -> Step:
    """The seat to move does what the learner would do there."""
    game = stage.game
    seat = jnp.argmax(jax.vmap(game.turn)(states), axis=1)
    logits, _, legal = _thoughts(stage, networks, states, seat)
    chosen = jax.random.categorical(key, masked(logits, legal))
    return jax.vmap(game.step)(states, jnp.broadcast_to(chosen[:, None], (seat.size, game.players)).astype(jnp.int32))


def _thoughts(stage: Stage, networks: Network, states: Any, seat: Array) -> tuple[Array, Array, Array]:
    """What networks without a memory make of the views of these seats: (logits, values, legal actions)."""
    game = stage.game
    views = jax.vmap(game.view)(states, seat)
    observation = jax.vmap(lambda view: observe(game, view))(views)
    nothing = jnp.zeros((seat.size, 0), jnp.uint8)
    _, logits, value = think(stage, networks, (), observation, nothing)
    return logits, value, jax.vmap(game.legal)(views)
