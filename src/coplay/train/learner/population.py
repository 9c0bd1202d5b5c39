"""Learners that are to become different from each other: every learner of a run is a member of one population."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import Array

from coplay.nets.network import Network
from coplay.train.learner.rollout import Rollout
from coplay.train.learner.rows import Layout, Rows
from coplay.train.learner.terms import Scene, Term, empty_memory, mean_over, reward_rows, told_by, with_column


def empty_memories(scene: Scene, groups: int) -> Any:
    """Of all members, each listening to all games: [members, groups, memories, ...]."""
    return eqx.filter_vmap(lambda network: empty_memory(network, scene.layout, groups))(scene.networks)


def members_say(scene: Scene, memories: Any, rows: Rows) -> tuple[Any, Array]:
    """The log-probability that each member gives the move that was made: (memories, [members, turns, groups, rows])."""

    def one(member: tuple[Network, Any]) -> tuple[Any, Array]:
        memory, told = told_by(member[0], scene, member[1], rows)
        return memory, jnp.take_along_axis(told, rows.action[..., None], axis=-1)[..., 0]

    arrays, fixed = eqx.partition(scene.networks, eqx.is_array)
    # One member after the other: side by side they would need as many times the memory.
    return jax.lax.map(lambda pair: one((eqx.combine(pair[0], fixed), pair[1])), (arrays, memories))


class PopulationEntropy(Term):
    """Maximum entropy population (Zhao et al. 2023): a reward of -weight x log of the members' mean probability.

    A move that every member would make earns nothing; one that only this member makes earns most.
    """

    weight: float = eqx.field(static=True)

    def start(self, scene: Scene, groups: int) -> Any:
        return empty_memories(scene, groups)

    def prepare(self, scene: Scene, memory: Any, rollout: Rollout) -> tuple[Any, Rollout]:
        memory, said = members_say(scene, memory, rollout.rows)
        return memory, reward_rows(scene, rollout, -self.weight * log_mean(said))


def log_mean(said: Array) -> Array:
    """log of the mean of exp(said) over the first axis."""
    return jax.scipy.special.logsumexp(said, axis=0) - jnp.log(said.shape[0])


class TrajectoryDivergence(Term):
    """Jensen-Shannon divergence between the members' games (Lupu et al. 2021), taken from the loss.

    Moves count less the further they are from each other: by `kernel` for every decision between them. With 0 moves are
    compared one by one, with 1 games as a whole.
    """

    logged = "divergence"
    kernel: float = eqx.field(static=True)
    layout: Layout = eqx.field(static=True)

    def start(self, scene: Scene, groups: int) -> Any:
        return empty_memories(scene, groups)

    def prepare(self, scene: Scene, memory: Any, rollout: Rollout) -> tuple[Any, Rollout]:
        memory, said = members_say(scene, memory, rollout.rows)
        # As they were when the game was played; a learner's own present probability comes in with the loss.
        return memory, with_column(rollout, "members", jnp.moveaxis(said, 0, -1))

    def loss(self, network: Network, rows: Rows, logits: Array, turns: Array) -> Array:
        mine = jnp.take_along_axis(jax.nn.log_softmax(logits), rows.action[..., None], axis=-1)[..., 0]
        return mean_over(self._terms(rows, mine), rows.weight)

    def _terms(self, rows: Rows, mine: Array) -> Array:
        """[turns, groups, rows]: log of the members' mean likelihood of the moves around, in shares of one's own."""
        learns = rows.learns[..., None]
        gap = jnp.where(learns, rows.extra["members"] - mine[..., None], 0)
        gap = self.layout.to_sequences(gap)
        fresh = self.layout.to_sequences(rows.fresh)[..., None]
        near = self._spread(gap, fresh)
        return self.layout.from_sequences(log_mean(jnp.moveaxis(near, -1, 0)))

    def _spread(self, gap: Array, fresh: Array) -> Array:
        """Every decision with what is before and after it in its own game; `fresh`: a game begins with it."""

        def along(kept: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
            here, cut = now
            total = here + self.kernel * jnp.where(cut, 0, kept)
            return total, total

        zero = jnp.zeros_like(gap[0])
        _, before = jax.lax.scan(along, zero, (gap, fresh))
        ends = jnp.concatenate([fresh[1:], jnp.ones_like(fresh[:1])])
        _, after = jax.lax.scan(along, zero, (gap, ends), reverse=True)
        return before + after - gap
