"""What a recipe adds to plain PPO: more reward, or more loss.

A term may keep a memory per game, look at every rollout once (`prepare`: change rewards, attach columns to the rows)
and add to the loss of every minibatch (`loss`). It sees the networks of all learners.
"""

from __future__ import annotations

from typing import Any, ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.nets.network import Network
from coplay.nets.policy import masked
from coplay.train.learner.rollout import Rollout, split_axis
from coplay.train.learner.rows import Layout, Rows
from coplay.train.learner.stage import Stage

Array = jax.Array


class Scene(eqx.Module):
    """What a term may look at besides the rollout."""

    stage: Stage
    networks: Network  # of all learners, stacked [learners, ...], as they played
    turns: Array  # float32: how many were played before, per learner

    @property
    def layout(self) -> Layout:
        return self.stage.layout(self.networks.design)


class Term(eqx.Module):
    """A term that does nothing; the others override what they need."""

    logged: ClassVar[str] = ""  # the name under which its loss is logged, before it is weighed; "": not at all

    def start(self, scene: Scene, groups: int) -> Any:
        """Its memory for the rows of a rollout, [groups, ...]."""
        return ()

    def prepare(self, scene: Scene, memory: Any, rollout: Rollout) -> tuple[Any, Rollout]:
        """Once per rollout."""
        return memory, rollout

    def loss(self, network: Network, rows: Rows, logits: Array, turns: Array) -> Array:
        """Added to the loss; float32 []. `logits` are the network's on these rows, masked: [turns, groups, rows,
        actions]."""
        return jnp.float32(0)


def with_reward(rollout: Rollout, change: Array) -> Rollout:
    """With `change` [turns, games, streams] added to what turns pay."""
    return rollout._replace(flow=rollout.flow._replace(reward=rollout.flow.reward + change))


def with_column(rollout: Rollout, name: str, column: Array) -> Rollout:
    """With a column [turns, groups, rows, ...] beside the rows."""
    extra = rollout.rows.extra | {name: column}
    return rollout._replace(rows=rollout.rows._replace(extra=extra))


def of_rows(scene: Scene, rollout: Rollout, column: Array) -> Array:
    """What is known of every seat [turns, games, players], for each row's own seat: [turns, groups, rows]."""
    layout, seat = scene.layout, rollout.rows.seat
    if layout.kind != "slots":
        return jnp.take_along_axis(column, seat, axis=2)
    every = [layout.to_rows(column[..., player : player + 1], seat) for player in range(column.shape[2])]
    return jnp.take_along_axis(jnp.concatenate(every, axis=2), seat, axis=2)


def per_learner(knob: Array, count: int) -> Array:
    """A number for each learner [learners], beside a column of games or groups: [count, 1]."""
    return jnp.repeat(knob, count // knob.shape[0])[:, None]


def reward_rows(scene: Scene, rollout: Rollout, bonus: Array) -> Rollout:
    """With a reward [turns, groups, rows] for the learner's own decisions."""
    return with_reward(rollout, scene.layout.to_flow(bonus, rollout.rows.learns))


class ShapedReward(Term):
    """The game's shaped reward for each seat, annealed to nothing."""

    until: float = eqx.field(static=True)  # turns after which it is gone
    whose: Array | None = None  # float32 [learners]: the share that each learner gets of it; None: all the whole

    def prepare(self, scene: Scene, memory: Any, rollout: Rollout) -> tuple[Any, Rollout]:
        share = jnp.maximum(1 - scene.turns / self.until, 0)
        shaped = rollout.flow.events["shaped"]
        own = of_rows(scene, rollout, shaped) if scene.stage.game.simultaneous else shaped.sum(2, keepdims=True)
        if self.whose is not None:
            own = own * per_learner(self.whose, own.shape[1])
        return memory, with_reward(rollout, share * own)


class Mercy(Term):
    """Losses weigh nothing at first and their full weight after `until` turns.

    Where a lost life costs everything, a beginner learns never to play a card again; this lets it learn to play first.
    """

    until: float = eqx.field(static=True)

    def prepare(self, scene: Scene, memory: Any, rollout: Rollout) -> tuple[Any, Rollout]:
        weight = jnp.minimum(scene.turns / self.until, 1)
        return memory, with_reward(rollout, (weight - 1) * jnp.minimum(rollout.flow.reward, 0))


class KLToReference(Term):
    """KL(reference || learner), the mean over the learner's decisions, over legal actions.

    The reference is frozen, so its logits are computed once per rollout, with memories of its own that are carried on.
    """

    logged = "kl"
    reference: Network  # of all learners, or stacked [learners, ...]
    each: bool = eqx.field(static=True, default=False)  # does every learner have a reference of its own?

    def start(self, scene: Scene, groups: int) -> Any:
        return empty_memory(self.reference, scene.layout, groups)

    def prepare(self, scene: Scene, memory: Any, rollout: Rollout) -> tuple[Any, Rollout]:
        reference = jax.lax.stop_gradient(self.reference)
        tell = told_by_each if self.each else told_by
        memory, told = tell(reference, scene, memory, rollout.rows)
        return memory, with_column(rollout, "reference", told)

    def loss(self, network: Network, rows: Rows, logits: Array, turns: Array) -> Array:
        told = rows.extra["reference"]
        return mean_over(divergence(told, jax.nn.log_softmax(logits)), rows.weight)


class Imitation(Term):
    """The surprise at what an adviser would have done, annealed to nothing (DAgger, Ross et al. 2011): its move in the
    positions that the learner itself comes to."""

    logged = "imitation"
    until: float = eqx.field(static=True)  # turns after which it is gone

    def loss(self, network: Network, rows: Rows, logits: Array, turns: Array) -> Array:
        advice = rows.extra["advice"]
        told = jnp.take_along_axis(jax.nn.log_softmax(logits), jnp.maximum(advice, 0)[..., None], axis=-1)[..., 0]
        share = jnp.maximum(1 - turns / self.until, 0)
        return share * mean_over(-told, jnp.where(advice >= 0, rows.weight, 0))


def empty_memory(network: Network, layout: Layout, groups: int) -> Any:
    """Of a network that listens to rollouts laid out so."""
    shape = (groups, layout.memories)
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (*shape, *leaf.shape)), network.start())


def told_by(network: Network, scene: Scene, memory: Any, rows: Rows) -> tuple[Any, Array]:
    """What another network makes of the rows: its memory after them, and log-probabilities [..., actions]."""
    layout, dtype = scene.layout, scene.stage.dtype
    seen, fresh = (layout.to_sequences(column) for column in (rows.observation, rows.fresh))
    memory, features = network.unroll(layout.to_streams(memory), seen, fresh, dtype)
    logits, _ = network.heads(features, layout.to_sequences(rows.everything), dtype)
    return layout.to_streams(memory), jax.nn.log_softmax(masked(layout.from_sequences(logits), rows.legal))


def told_by_each(networks: Network, scene: Scene, memory: Any, rows: Rows) -> tuple[Any, Array]:
    """As `told_by`, each of several networks [learners, ...] about the rows of its own learner."""
    learners = scene.stage.learners
    apart = jax.tree.map(lambda leaf: split_axis(leaf, 1, learners), rows)
    memories = jax.tree.map(lambda leaf: split_axis(leaf, 0, learners), memory)
    tell = eqx.filter_vmap(told_by, in_axes=(eqx.if_array(0), None, 0, 1), out_axes=(0, 1))
    memories, told = tell(networks, scene, memories, apart)
    return jax.tree.map(lambda leaf: _joined(leaf, 0), memories), _joined(told, 1)


def _joined(leaf: Array, axis: int) -> Array:
    """The inverse of `split_axis`."""
    return leaf.reshape(*leaf.shape[:axis], -1, *leaf.shape[axis + 2 :])


def divergence(told: Array, mine: Array) -> Array:
    """KL(told || mine) of log-probabilities [..., actions]."""
    return (jnp.exp(told) * (told - mine)).sum(-1)


def mean_over(column: Array, weight: Array) -> Array:
    """The mean of the entries that weigh something (bool: of those chosen); 0 if there are none."""
    total = weight.sum()
    kept = jnp.where(weight > 0, column, 0) * weight
    return kept.sum() / jnp.where(total > 0, total, 1)
