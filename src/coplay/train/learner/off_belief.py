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

from coplay.game import Step
from coplay.nets.belief import BeliefNetwork, guess
from coplay.nets.network import Network
from coplay.nets.policy import masked, observe
from coplay.train.learner.rollout import for_each_learner, of_seat, think
from coplay.train.learner.stage import Deciding, Foresight, Outlook, Stage

Array = jax.Array


class OffBelief(Foresight):
    """One round in a redrawn world: the own move, one of each other seat, and the value of the own next view.

    Without a learned belief the world is drawn as plain facts have it, as if all moves before had been random.
    """

    belief: Any = eqx.field(static=True)  # coplay.faces.Belief; Hidden where a belief was learned
    learned: BeliefNetwork | None = None  # stacked [learners, ...]

    def start(self, stage: Stage, games: int) -> Any:
        if self.learned is None:
            return ()
        shape = (games, stage.game.players)
        return jax.tree.map(lambda leaf: jnp.zeros((*shape, *leaf.shape), leaf.dtype), self.learned.start())

    def outlook(
        self, stage: Stage, networks: Network, memory: Any, turn: Deciding, actions: Array, key: Array
    ) -> tuple[Any, Outlook]:
        game = stage.game
        states, seat, carry = turn
        redraw, others = jax.random.split(key)
        memory, world = self._redrawn(stage, memory, states, seat, redraw)
        step: Step = jax.vmap(game.step)(world, actions)
        reward, ends = step.reward, step.done
        for its_key in jax.random.split(others, game.players - 1):
            # A finished game pays nothing more, so nobody needs to be told that it is over.
            carry, step = _answer(stage, networks, carry, step.state, its_key)
            reward, ends = reward + step.reward, ends | step.done
        _, _, value, _ = _thoughts(stage, networks, carry, step.state, seat)
        return memory, Outlook(*(column[:, None] for column in (reward, ends, value)))

    def _redrawn(self, stage: Stage, memory: Any, states: Any, seat: Array, key: Array) -> tuple[Any, Any]:
        game, face = stage.game, self.belief
        keys = jax.random.split(key, seat.size)
        if self.learned is None:
            return memory, jax.vmap(lambda state, seat, key: face.redraw(game, state, seat, key))(states, seat, keys)
        memory, features = self._follow(stage, memory, states, seat)

        def one(network: BeliefNetwork, state: Any, seat: Array, features: Array, key: Array) -> Any:
            draw, rest = jax.random.split(key)
            values = guess(network, face, face.facts(game, state, seat), features, draw, stage.dtype)
            return face.place(game, state, seat, values, rest)

        def of_learner(network: BeliefNetwork, *columns: Any) -> Any:
            return jax.vmap(lambda *row: one(network, *row))(*columns)

        return memory, for_each_learner(stage, of_learner, self.learned, states, seat, features, keys)

    def _follow(self, stage: Stage, memory: Any, states: Any, seat: Array) -> tuple[Any, Array]:
        """Every seat's memory after this turn's view, and the features of the seat that decides."""
        game, every = stage.game, jnp.arange(stage.game.players)

        def seen(state: Any) -> Array:
            return jax.vmap(lambda seat: observe(game, game.view(state, seat)))(every)

        def of_learner(network: BeliefNetwork, memory: Any, observation: Array) -> Any:
            return network.step(memory, observation, stage.dtype)

        memory, features = for_each_learner(stage, of_learner, self.learned, memory, jax.vmap(seen)(states))
        return memory, of_seat(features, seat)


def _answer(stage: Stage, networks: Network, carry: Any, states: Any, key: Array) -> tuple[Any, Step]:
    """The seat to move does what the learner would do there."""
    game = stage.game
    seat = jnp.argmax(jax.vmap(game.turn)(states), axis=1)
    carry, logits, _, legal = _thoughts(stage, networks, carry, states, seat)
    chosen = jax.random.categorical(key, masked(logits, legal))
    actions = jnp.broadcast_to(chosen[:, None], (seat.size, game.players)).astype(jnp.int32)
    return carry, jax.vmap(game.step)(states, actions)


def _thoughts(stage: Stage, networks: Network, carry: Any, states: Any, seat: Array) -> tuple[Any, Array, Array, Array]:
    """What one seat of each game makes of its view: (memories, logits, values, legal actions).

    A memory is public, so it goes on in a redrawn world as if that were the true one; all seats hear the turn.
    """
    game = stage.game
    remembers = bool(jax.tree.leaves(carry))
    seats = jnp.broadcast_to(jnp.arange(game.players), (seat.size, game.players)) if remembers else seat[:, None]
    views = jax.vmap(jax.vmap(game.view, (None, 0)))(states, seats)
    observation = jax.vmap(jax.vmap(lambda view: observe(game, view)))(views)
    nothing = jnp.zeros((*seats.shape, 0), jnp.uint8)
    carry, logits, value = think(stage, networks, carry, observation, nothing)
    row = seat if remembers else jnp.zeros_like(seat)
    legal = of_seat(jax.vmap(jax.vmap(game.legal))(views), row)
    return carry, of_seat(logits, row), of_seat(value, row), legal
