"""Proximal policy optimisation, once. Everything else in this folder chooses partners, terms and data for it."""

from __future__ import annotations

from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from coplay.agents.nets.network import Network
from coplay.agents.nets.policy import masked
from coplay.train.advantage import of_rows
from coplay.train.rollout import Finished, Stage, Tables, collect, forget_blind_tail, open_tables, split_axis
from coplay.train.rows import Rows, from_sequences, round_up, to_sequences, to_streams
from coplay.train.settings import PPOSettings
from coplay.train.terms import Term, mean_over

Array = jax.Array


class Learner(NamedTuple):
    """All that changes while a run goes on; a checkpoint holds exactly this."""

    networks: Network  # stacked [learners, ...], float32
    optimiser: Any
    tables: Tables
    memories: tuple[Any, ...]  # of the terms
    key: Array
    updates: Array  # int32


class Setup(eqx.Module):
    """What does not change: where it plays, what it optimises."""

    stage: Stage
    terms: tuple[Term, ...] = ()
    settings: PPOSettings = eqx.field(static=True, default_factory=PPOSettings)
    # What PPO's own loss and each term weigh in the total, per learner: so one run compares several weights.
    weights: tuple[tuple[float, ...], ...] = eqx.field(static=True, default=())  # (): all weigh 1

    @property
    def turns(self) -> int:
        return round_up(self.settings.turns, self.stage.game.players)

    @property
    def turns_per_update(self) -> int:
        """Per learner."""
        return self.turns * self.settings.games

    @property
    def updates(self) -> int:
        return max(round(self.settings.total_turns / self.turns_per_update), 1)

    @property
    def shares(self) -> Array:
        """float32 [learners, 1 + terms]: `weights` as an array."""
        equal = ((1.0,) * (1 + len(self.terms)),) * self.stage.learners
        return jnp.asarray(self.weights or equal, jnp.float32)


def optimiser(setup: Setup) -> optax.GradientTransformation:
    settings = setup.settings
    rate: Any = settings.learning_rate
    if settings.anneal:
        rate = optax.linear_schedule(rate, 0.0, setup.updates * settings.epochs * settings.minibatches)
    return optax.flatten(optax.chain(optax.clip_by_global_norm(settings.gradient_norm), optax.adam(rate, eps=1e-5)))


def start(setup: Setup, networks: Network, key: Array) -> Learner:
    """A learner before its first update; `networks` are stacked [learners, ...]."""
    games = setup.settings.games
    tables_key, key = jax.random.split(key)
    state = eqx.filter_vmap(lambda network: optimiser(setup).init(eqx.filter(network, eqx.is_array)))(networks)
    return Learner(
        networks=networks,
        optimiser=state,
        tables=open_tables(setup.stage, networks, games, tables_key),
        memories=tuple(term.start(setup.stage.game, games * setup.stage.learners) for term in setup.terms),
        key=key,
        updates=jnp.int32(0),
    )


def update(setup: Setup, learner: Learner) -> tuple[Learner, dict[str, Array]]:
    """One rollout and the epochs of optimisation on it; metrics are float32 [learners]."""
    stage, settings = setup.stage, setup.settings
    before = learner.updates.astype(jnp.float32) * setup.turns_per_update
    begun = learner.tables.carry
    tables, rows, last_value, next_learns, done = collect(stage, learner.networks, learner.tables, setup.turns)
    memories = []
    for term, memory in zip(setup.terms, learner.memories, strict=True):
        memory, rows = term.prepare(stage.game, memory, rows, before, stage.dtype)
        memories.append(memory)
    if stage.partners.blocks and not stage.game.simultaneous:
        rows = forget_blind_tail(rows, next_learns)
    advantage, target = of_rows(
        *(rows, last_value, next_learns, stage.game.simultaneous), discount=settings.discount, trace=settings.trace
    )
    batch = _Batch(rows, advantage, target)
    key, shuffle = jax.random.split(learner.key)
    apart = jax.tree.map(lambda leaf: _apart(leaf, stage.learners, axis=1), batch)
    carries = jax.tree.map(lambda leaf: _apart(leaf, stage.learners, axis=0), begun)
    keys = jax.random.split(shuffle, stage.learners)

    def improve(network: Network, state: Any, share: Array, batch: _Batch, carry: Any, key: Array) -> tuple[Any, ...]:
        return _improve(setup, network, state, share, batch, carry, key, before)

    networks, state, metrics = eqx.filter_vmap(improve)(
        learner.networks, learner.optimiser, setup.shares, apart, carries, keys
    )
    after = Learner(networks, state, tables, tuple(memories), key, learner.updates + 1)
    return after, metrics | _play_metrics(rows, done, stage.learners)


class _Batch(NamedTuple):
    rows: Rows
    advantage: Array
    target: Array


def _apart(leaf: Array, learners: int, axis: int) -> Array:
    """Splits the axis of games into [learners, games] and puts the learners first."""
    return jnp.moveaxis(split_axis(leaf, axis, learners), axis, 0)


def _improve(
    setup: Setup, network: Network, state: Any, share: Array, batch: _Batch, carry: Any, key: Array, turns: Array
) -> tuple[Network, Any, dict[str, Array]]:
    """Epochs of minibatches; a minibatch is a share of the games with all their turns."""
    settings = setup.settings
    tool = optimiser(setup)
    weights, fixed = eqx.partition(network, eqx.is_array)

    def one_minibatch(now: tuple[Any, Any], games: Array) -> tuple[tuple[Any, Any], dict[str, Array]]:
        weights, state = now
        part = jax.tree.map(lambda leaf: jnp.take(leaf, games, axis=1), batch)
        memory = jax.tree.map(lambda leaf: jnp.take(leaf, games, axis=0), carry)
        slope, metrics = jax.grad(_loss, has_aux=True)(weights, fixed, setup, share, part, memory, turns)
        change, state = tool.update(slope, state, weights)
        return (eqx.apply_updates(weights, change), state), metrics

    orders = jax.vmap(lambda k: jax.random.permutation(k, settings.games))(jax.random.split(key, settings.epochs))
    groups = orders.reshape(settings.epochs * settings.minibatches, -1)
    (weights, state), metrics = jax.lax.scan(one_minibatch, (weights, state), groups)
    metrics = {name: value.mean() for name, value in metrics.items()}
    metrics["weights"] = optax.global_norm(weights)  # shows if the last step of all went astray
    return eqx.combine(weights, fixed), state, metrics


def _loss(
    weights: Any, fixed: Any, setup: Setup, share: Array, batch: _Batch, carry: Any, turns: Array
) -> tuple[Array, dict[str, Array]]:
    settings, stage = setup.settings, setup.stage
    network: Network = eqx.combine(weights, fixed)
    rows = batch.rows
    logits, value = replay(stage, network, rows, carry)
    learns = rows.learns
    log_probs = jax.nn.log_softmax(logits)
    log_prob = jnp.take_along_axis(log_probs, rows.action[..., None], axis=-1)[..., 0]
    # Rows that do not learn may have any ratio; bounding it here keeps infinities out of their (unused) gradient.
    ratio = jnp.exp(jnp.where(learns, log_prob - rows.log_prob, 0))
    centre = mean_over(batch.advantage, learns)
    spread = jnp.sqrt(mean_over(jnp.square(batch.advantage - centre), learns))
    gain = (batch.advantage - centre) / (spread + 1e-8)
    clipped = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    policy_loss = -mean_over(jnp.minimum(ratio * gain, clipped * gain), learns)
    value_loss = 0.5 * mean_over(_value_error(value, rows.value, batch.target, settings.value_clip), learns)
    entropy = mean_over(-(jnp.exp(log_probs) * jnp.where(rows.legal, log_probs, 0)).sum(-1), learns)
    ppo = policy_loss + settings.value_weight * value_loss - _entropy_weight(settings, turns) * entropy
    losses = [term.loss(network, rows, logits, turns) for term in setup.terms]
    added = sum((weight * loss for weight, loss in zip(share[1:], losses, strict=True)), 0 * ppo)
    total = share[0] * ppo + added
    metrics = {"loss": total, "value_loss": value_loss, "entropy": entropy, "terms": added}
    metrics["clipped"] = mean_over((jnp.abs(ratio - 1) > settings.clip).astype(jnp.float32), learns)
    return total, metrics


def _value_error(value: Array, before: Array, target: Array, clip: float) -> Array:
    """Squared; with a clip, what moved further than that from the value before gains nothing."""
    error = jnp.square(value - target)
    if not clip:
        return error
    near = before + jnp.clip(value - before, -clip, clip)
    return jnp.maximum(error, jnp.square(near - target))


def _entropy_weight(settings: PPOSettings, turns: Array) -> Array:
    passed = jnp.minimum(turns / settings.total_turns, 1)
    return settings.entropy * (1 - (1 - settings.entropy_left) * passed)


def replay(stage: Stage, network: Network, rows: Rows, carry: Any) -> tuple[Array, Array]:
    """The network again on the rows, from the memories the rollout began with: (masked logits, values)."""
    game, design = stage.game, network.design
    seen, everything, fresh = (
        to_sequences(game, design, column) for column in (rows.observation, rows.everything, rows.fresh)
    )
    _, features = network.unroll(to_streams(game, design, carry), seen, fresh, stage.dtype)
    logits, value = network.heads(features, everything, stage.dtype)
    return masked(from_sequences(game, design, logits), rows.legal), from_sequences(game, design, value)


def _play_metrics(rows: Rows, done: Finished, learners: int) -> dict[str, Array]:
    deciding = rows.learns.reshape(rows.learns.shape[0], learners, -1).mean((0, 2))
    return {
        "games": done.games,
        "score": done.score / jnp.maximum(done.games, 1),
        "deciding": deciding.astype(jnp.float32),
    }
