"""Players with a taste of their own: paid for events besides, or instead of, what the game pays."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
from jax import Array

from coplay.train.learner.rollout import Rollout
from coplay.train.learner.terms import Scene, Term, of_rows, per_learner, reward_rows, with_reward

EVENTS = "wished"  # under which the events are recorded: [players, events] of every turn


class Wished(Term):
    """reward x what the game pays + weights . the learner's own events, for each learner its own weights."""

    weights: Array  # float32 [learners, events]
    reward: Array  # float32 [learners]

    def prepare(self, scene: Scene, memory: Any, rollout: Rollout) -> tuple[Any, Rollout]:
        events = rollout.flow.events[EVENTS].astype(jnp.float32)  # [turns, games, players, events]
        whose = jnp.repeat(self.weights, events.shape[1] // self.weights.shape[0], axis=0)
        liked = jnp.einsum("tgpe,ge->tgp", events, whose)
        pay = rollout.flow.reward
        rollout = with_reward(rollout, (per_learner(self.reward, pay.shape[1]) - 1) * pay)
        return memory, reward_rows(scene, rollout, of_rows(scene, rollout, liked))
