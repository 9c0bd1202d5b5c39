"""What a recipe adds to plain PPO: more reward, or more loss.

A term may keep a memory per game, look at every rollout once (`prepare`: change rewards, attach columns to the rows)
and add to the loss of every minibatch (`loss`).
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.agents.nets.network import Network
from coplay.agents.nets.policy import masked
from coplay.games.game import Game
from coplay.train.rows import Rows, from_sequences, from_streams, to_sequences, to_streams

Array = jax.Array


class Term(eqx.Module):
    """A term that does nothing; the others override what they need."""

    def start(self, game: Game, games: int) -> Any:
        """Its memory for a batch of games [games, ...]."""
        return ()

    def prepare(self, game: Game, memory: Any, rows: Rows, turns: Array, dtype: Any) -> tuple[Any, Rows]:
        """Once per rollout; `turns` is how many turns were played before it."""
        return memory, rows

    def loss(self, network: Network, rows: Rows, logits: Array, turns: Array) -> Array:
        """Added to the loss; float32 []. `logits` are the network's on these rows, masked: [turns, games, rows,
        actions]."""
        return jnp.float32(0)


class ShapedReward(Term):
    """The game's shaped reward for each seat, annealed to nothing."""

    until: float = eqx.field(static=True)  # turns after which it is gone

    def prepare(self, game: Game, memory: Any, rows: Rows, turns: Array, dtype: Any) -> tuple[Any, Rows]:
        share = jnp.maximum(1 - turns / self.until, 0)
        return memory, rows._replace(reward=rows.reward + share * rows.extra["shaped"])


class Mercy(Term):
    """Losses weigh nothing at first and their full weight after `until` turns.

    Where a lost life costs everything, a beginner learns never to play a card again; this lets it learn to play first.
    """

    until: float = eqx.field(static=True)

    def prepare(self, game: Game, memory: Any, rows: Rows, turns: Array, dtype: Any) -> tuple[Any, Rows]:
        weight = jnp.minimum(turns / self.until, 1)
        return memory, rows._replace(reward=jnp.where(rows.reward < 0, weight * rows.reward, rows.reward))


class KLToReference(Term):
    """KL(reference || learner), the mean over the learner's decisions, over legal actions.

    The reference is frozen, so its logits are computed once per rollout, with memories of its own that are carried on.
    """

    reference: Network

    def start(self, game: Game, games: int) -> Any:
        empty = self.reference.start()
        return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (games, game.players, *leaf.shape)), empty)

    def prepare(self, game: Game, memory: Any, rows: Rows, turns: Array, dtype: Any) -> tuple[Any, Rows]:
        design = self.reference.design
        reference = jax.lax.stop_gradient(self.reference)
        seen, fresh = (to_sequences(game, design, column) for column in (rows.observation, rows.fresh))
        memory, features = reference.unroll(to_streams(game, design, memory), seen, fresh, dtype)
        logits, _ = reference.heads(features, rows.everything, dtype)
        told = masked(from_sequences(game, design, logits), rows.legal)
        extra = rows.extra | {"reference": jax.nn.log_softmax(told)}
        return from_streams(game, design, memory), rows._replace(extra=extra)

    def loss(self, network: Network, rows: Rows, logits: Array, turns: Array) -> Array:
        told = rows.extra["reference"]
        return mean_over(divergence(told, jax.nn.log_softmax(logits)), rows.learns)


def divergence(told: Array, mine: Array) -> Array:
    """KL(told || mine) of log-probabilities [..., actions]."""
    return (jnp.exp(told) * (told - mine)).sum(-1)


def mean_over(column: Array, chosen: Array) -> Array:
    """The mean of the chosen entries; 0 if there are none."""
    return jnp.where(chosen, column, 0).sum() / jnp.maximum(chosen.sum(), 1)
