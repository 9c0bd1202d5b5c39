"""Holding a learner near a reference on recorded games, where its own play may never lead it."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.game import Game
from coplay.nets.network import Network
from coplay.train.clone import Lessons, log_probs, pick, relabelled
from coplay.train.learner.rows import Rows
from coplay.train.learner.terms import Term, divergence, mean_over

Array = jax.Array


class KLOnGames(Term):
    """KL(reference || learner), the mean over the decisions of some recorded games, drawn anew for every rollout.

    A learner that loses after ten turns never sees the middle of a game, and nothing there keeps it from forgetting
    what the reference knows. Each game is seen through a random symmetry, as `bc` does unless told otherwise.
    """

    logged = "kl_on_games"
    reference: Network
    found: Lessons
    count: int = eqx.field(static=True)  # games per rollout, the same in all its minibatches
    game: Game = eqx.field(static=True)
    dtype: Any = eqx.field(static=True, default=jnp.float32)

    def loss(self, network: Network, rows: Rows, logits: Array, turns: Array) -> Array:
        draw, label = jax.random.split(jax.random.fold_in(jax.random.key(0), _number(turns)))
        chosen = jax.random.choice(draw, self.found.turns.shape[0], (self.count,), replace=False)
        part = relabelled(self.game, pick(self.found, chosen), label)
        told = jax.lax.stop_gradient(log_probs(self.game, self.reference, part, dtype=self.dtype))
        mine = log_probs(self.game, network, part, dtype=self.dtype)
        return mean_over(divergence(told, mine), part.counts)


def _number(turns: Array) -> Array:
    """uint32 that differs from rollout to rollout: the bits of the count, which has no largest number."""
    return jax.lax.bitcast_convert_type(turns.astype(jnp.float32), jnp.uint32)
