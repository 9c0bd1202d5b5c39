"""Proximal policy optimisation, once. Everything else in this folder chooses partners, terms and data for it."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from coplay.nets.network import Network
from coplay.nets.policy import masked
from coplay.train.learner import graph
from coplay.train.learner.advantage import forget_blind_tail, of_rollout, one_step
from coplay.train.learner.partners import Partners, by_rank
from coplay.train.learner.rollout import Finished, collect, split_axis
from coplay.train.learner.rows import Rows, round_up
from coplay.train.learner.stage import Stage, Tables, open_tables
from coplay.train.learner.terms import Scene, Term, mean_over
from coplay.train.settings import PPOSettings, TrainError

Array = jax.Array


class Learner(NamedTuple):
    """All that changes while a run goes on; a checkpoint holds exactly this."""

    networks: Network  # stacked [learners, ...], float32
    optimiser: Any
    tables: Tables
    memories: tuple[Any, ...]  # of the terms
    returns: Array  # float32 [cells]: what was scored with each partner lately
    cast: Network | None  # earlier selves that learners meet, stacked [learners, size, ...]
    key: Array
    updates: Array  # int32
    # float32 [learners, size, size]: what each one's earlier selves score with each other; None: nobody asks.
    utility: Array | None = None


class Setup(eqx.Module):
    """What does not change: where it plays, what it optimises."""

    stage: Stage
    terms: tuple[Term, ...] = ()
    settings: PPOSettings = eqx.field(static=True, default_factory=PPOSettings)
    # Knobs that may differ from learner to learner, so that one run compares several; None: as the settings say.
    weights: Array | None = None  # float32 [learners, 1 + terms]: of PPO's own loss and each term in the total
    rates: Array | None = None  # float32 [learners]: the learning rate in shares of the settings'
    entropies: Array | None = None  # float32 [learners]: the weight of the entropy, likewise
    generation: int = eqx.field(static=True, default=0)  # updates after which a learner joins its own cast; 0: never

    @property
    def turns(self) -> int:
        return round_up(self.settings.turns, self.stage.game.players)

    @property
    def stretch(self) -> int:
        """Turns of what is learned from as one sequence."""
        length = round_up(self.settings.stretch, self.stage.game.players)
        if length == 0 or length >= self.turns:
            return self.turns
        if self.turns % length:
            raise TrainError(
                f"stretch={self.settings.stretch}: stretches of {length} turns do not cut a rollout of {self.turns} "
                f"evenly; try stretch={math.gcd(length, self.turns)}."
            )
        return length

    @property
    def turns_per_update(self) -> int:
        """Per learner."""
        return self.turns * self.settings.games

    @property
    def updates(self) -> int:
        return max(round(self.settings.total_turns / self.turns_per_update), 1)

    @property
    def knobs(self) -> Knobs:
        learners = self.stage.learners
        equal = jnp.ones(learners)
        return Knobs(
            shares=jnp.ones((learners, 1 + len(self.terms))) if self.weights is None else self.weights,
            rate=equal if self.rates is None else self.rates,
            entropy=equal if self.entropies is None else self.entropies,
        )


class Knobs(NamedTuple):
    """One learner's, or all learners' with an axis more."""

    shares: Array  # float32 [1 + terms]
    rate: Array  # float32 []
    entropy: Array  # float32 []


def optimiser(setup: Setup) -> optax.GradientTransformation:
    settings = setup.settings
    rate: Any = settings.learning_rate
    if settings.anneal:
        rate = optax.linear_schedule(rate, 0.0, setup.updates * settings.epochs * settings.minibatches)
    return optax.flatten(optax.chain(optax.clip_by_global_norm(settings.gradient_norm), optax.adam(rate, eps=1e-5)))


@eqx.filter_jit
def start(setup: Setup, networks: Network, key: Array, cast: Network | None = None) -> Learner:
    """A learner before its first update; `networks` are stacked [learners, ...]."""
    ranked = setup.stage.partners.ranked
    games = setup.settings.games
    tables_key, key = jax.random.split(key)
    state = eqx.filter_vmap(lambda network: optimiser(setup).init(eqx.filter(network, eqx.is_array)))(networks)
    tables = open_tables(setup.stage, networks, games, tables_key, cast)
    scene = Scene(setup.stage, networks, jnp.float32(0))
    return Learner(
        networks=networks,
        optimiser=state,
        tables=tables,
        memories=tuple(term.start(scene, tables.fresh.shape[0]) for term in setup.terms),
        returns=jnp.zeros(setup.stage.partners.cells[0] if setup.stage.partners.cells else 0),
        cast=cast,
        key=key,
        updates=jnp.int32(0),
        utility=jnp.zeros((setup.stage.learners, ranked, ranked)) if setup.stage.partners.graph else None,
    )


def update(setup: Setup, learner: Learner) -> tuple[Learner, dict[str, Array]]:
    """One rollout and the epochs of optimisation on it; metrics are float32 [learners]."""
    before = learner.updates.astype(jnp.float32) * setup.turns_per_update
    learner, batch, done = _gather(setup, learner, before)
    learner, metrics = _improve_all(setup, learner, batch, before)
    learner = learner._replace(returns=_lately(learner.returns, done), updates=learner.updates + 1)
    return _join_cast(setup, learner), metrics | _play_metrics(setup, batch.rows, done)


LATELY = 0.05  # the share of the newest games in what was scored lately


def _lately(returns: Array, done: Finished) -> Array:
    mean = done.score_with / jnp.maximum(done.games_with, 1)
    return jnp.where(done.games_with > 0, (1 - LATELY) * returns + LATELY * mean, returns)


def _join_cast(setup: Setup, learner: Learner) -> Learner:
    """At the end of a generation every learner, as it is now, takes the place of the eldest of its cast."""
    if not setup.generation or learner.cast is None:
        return learner
    due = learner.updates % setup.generation == 0
    generation = learner.updates // setup.generation - 1

    def joined(cast: Array, now: Array) -> Array:
        after = jax.lax.dynamic_update_slice_in_dim(cast, now[:, None], generation % cast.shape[1], 1)
        return jnp.where(due, after, cast)

    learner = learner._replace(cast=jax.tree.map(joined, learner.cast, learner.networks))
    if learner.utility is None:
        return learner
    slot = generation % learner.utility.shape[1]
    after = graph.joined(learner.utility, learner.returns, slot)
    return learner._replace(utility=jnp.where(due, after, learner.utility))


def _gather(setup: Setup, learner: Learner, turns: Array) -> tuple[Learner, _Batch, Finished]:
    """Plays, lets the terms look at it, and says what every decision was worth."""
    stage, settings = setup.stage, setup.settings
    stage = dataclasses.replace(stage, partners=_weighed(stage, learner))
    scene = Scene(stage, learner.networks, turns)
    tables, rollout, done = collect(stage, learner.networks, learner.tables, setup.turns, learner.cast, setup.stretch)
    memories = []
    for term, memory in zip(setup.terms, learner.memories, strict=True):
        memory, rollout = term.prepare(scene, memory, rollout)
        memories.append(memory)
    learner = learner._replace(tables=tables, memories=tuple(memories))
    if stage.foresight is not None:
        return learner, _Batch(rollout.rows, *one_step(rollout, settings.discount), rollout.memory), done
    if stage.partners.blocks and not stage.game.simultaneous:
        rollout = forget_blind_tail(scene.layout, rollout)
    advantage, target = of_rollout(scene.layout, rollout, discount=settings.discount, trace=settings.trace)
    return learner, _Batch(rollout.rows, advantage, target, rollout.memory), done


def _weighed(stage: Stage, learner: Learner) -> Partners:
    """The partners with what decisions among them weigh by now."""
    if learner.utility is None:
        return by_rank(stage.partners, learner.returns, stage.learners)
    return graph.by_graph(stage.partners, learner.returns, learner.utility, stage.learners)


def _improve_all(setup: Setup, learner: Learner, batch: _Batch, turns: Array) -> tuple[Learner, dict[str, Array]]:
    """Every learner on its own games."""
    learners = setup.stage.learners
    key, shuffle = jax.random.split(learner.key)
    apart = jax.tree.map(lambda leaf: _apart(leaf, learners, axis=1), batch)
    keys = jax.random.split(shuffle, learners)

    def improve(network: Network, state: Any, knobs: Knobs, batch: _Batch, key: Array) -> tuple[Any, ...]:
        return _improve(setup, network, state, knobs, batch, key, turns)

    networks, state, metrics = eqx.filter_vmap(improve)(learner.networks, learner.optimiser, setup.knobs, apart, keys)
    return learner._replace(networks=networks, optimiser=state, key=key), metrics


class _Batch(NamedTuple):
    """Of all turns of a rollout; cut into stretches, of the turns of one, with the groups of all behind each other."""

    rows: Rows
    advantage: Array
    target: Array
    memory: Any  # with which the learner went into each stretch [stretches, groups, memories, ...]


def _in_stretches(batch: _Batch, stretch: int) -> _Batch:
    """Every group of games as often as there are stretches, each with the memory that it began with."""

    turns, groups = batch.advantage.shape[:2]
    parts = turns // stretch

    def cut(leaf: Array) -> Array:
        apart = jnp.moveaxis(split_axis(leaf, 0, parts), 0, 2)
        return apart.reshape(stretch, groups * parts, *leaf.shape[2:])

    whole = batch._replace(memory=())
    memory = jax.tree.map(
        lambda leaf: jnp.swapaxes(leaf, 0, 1).reshape(1, groups * parts, *leaf.shape[2:]), batch.memory
    )
    return jax.tree.map(cut, whole)._replace(memory=memory)


def _apart(leaf: Array, learners: int, axis: int) -> Array:
    """Splits the axis of groups into [learners, groups] and puts the learners first."""
    return jnp.moveaxis(split_axis(leaf, axis, learners), axis, 0)


def _improve(
    setup: Setup, network: Network, state: Any, knobs: Knobs, batch: _Batch, key: Array, turns: Array
) -> tuple[Network, Any, dict[str, Array]]:
    """Epochs of minibatches; a minibatch is a share of the groups with all turns of a stretch."""
    settings = setup.settings
    tool = optimiser(setup)
    batch = _in_stretches(batch, setup.stretch)
    weights, fixed = eqx.partition(network, eqx.is_array)
    count = batch.advantage.shape[1]
    strata = strata_of(settings, count)

    def one_minibatch(now: tuple[Any, Any], chosen: Array) -> tuple[tuple[Any, Any], dict[str, Array]]:
        weights, state = now
        part = jax.tree.map(lambda leaf: _take(leaf, chosen, strata, axis=1), batch)
        slope, metrics = jax.grad(_loss, has_aux=True)(weights, fixed, setup, knobs, part, turns)
        change, state = tool.update(slope, state, weights)
        change = _critic_only(setup, network, change, turns)
        change = jax.tree.map(lambda leaf: knobs.rate * leaf, change)
        return (eqx.apply_updates(weights, change), state), metrics

    keys = jax.random.split(key, settings.epochs)
    orders = jax.vmap(lambda k: jax.random.permutation(k, count // strata))(keys)
    chosen = orders.reshape(settings.epochs * settings.minibatches, -1)
    (weights, state), metrics = jax.lax.scan(one_minibatch, (weights, state), chosen)
    metrics = {name: value.mean() for name, value in metrics.items()}
    metrics["weights"] = optax.global_norm(weights)  # shows if the last step of all went astray
    return eqx.combine(weights, fixed), state, metrics


STRATA = 8


def strata_of(settings: PPOSettings, groups: int) -> int:
    """Into so many parts the games of a learner are cut; a minibatch takes the same share of each.

    So a minibatch is spread over as many devices as the games are, and no device needs another one's games.
    """
    return next(parts for parts in (STRATA, 4, 2, 1) if groups % (parts * settings.minibatches) == 0)


def _take(leaf: Array, chosen: Array, strata: int, axis: int) -> Array:
    """The same places of every stratum of the axis of groups."""
    cut = split_axis(leaf, axis, strata)
    part = jnp.take(cut, chosen, axis=axis + 1, mode="clip")  # none is out of bounds, so nothing has to be filled in
    return part.reshape(*part.shape[:axis], strata * chosen.size, *part.shape[axis + 2 :])


def _critic_only(setup: Setup, network: Network, change: Any, turns: Array) -> Any:
    """At first only what belongs to the critic moves, if the settings say so: a player must not unlearn what it knows
    to please a critic that knows nothing yet."""
    if not setup.settings.critic_first:
        return change
    actor = network.design.actor
    critic = jax.tree.map(jnp.zeros_like, change)
    for part in ("critic", "critic_encoder"):
        if getattr(critic, part) is not None:
            ones = jax.tree.map(jnp.ones_like, getattr(critic, part))
            critic = eqx.tree_at(lambda c, part=part: getattr(c, part), critic, ones)
    trunk = jax.tree.map(lambda leaf: leaf.at[..., actor:].set(1), critic.trunk)
    critic = eqx.tree_at(lambda c: c.trunk, critic, trunk)
    early = turns < setup.settings.critic_first
    return jax.tree.map(lambda leaf, mine: jnp.where(early, leaf * mine, leaf), change, critic)


def _loss(
    weights: Any, fixed: Any, setup: Setup, knobs: Knobs, batch: _Batch, turns: Array
) -> tuple[Array, dict[str, Array]]:
    settings, stage = setup.settings, setup.stage
    network: Network = eqx.combine(weights, fixed)
    rows = batch.rows
    logits, value = replay(stage, network, rows, jax.tree.map(lambda leaf: leaf[0], batch.memory))
    learns, weight = rows.learns, rows.weight
    log_probs = jax.nn.log_softmax(logits)
    log_prob = jnp.take_along_axis(log_probs, rows.action[..., None], axis=-1)[..., 0]
    # Rows that do not learn may have any ratio; bounding it here keeps infinities out of their (unused) gradient.
    ratio = jnp.exp(jnp.where(learns, log_prob - rows.log_prob, 0))
    centre = mean_over(batch.advantage, weight)
    spread = jnp.sqrt(mean_over(jnp.square(batch.advantage - centre), weight))
    gain = (batch.advantage - centre) / (spread + 1e-8)
    clipped = jnp.clip(ratio, 1 - settings.clip, 1 + settings.clip)
    policy_loss = -mean_over(jnp.minimum(ratio * gain, clipped * gain), weight)
    value_loss = 0.5 * mean_over(_value_error(value, rows.value, batch.target, settings.value_clip), weight)
    entropy = mean_over(-(jnp.exp(log_probs) * jnp.where(rows.legal, log_probs, 0)).sum(-1), weight)
    entropy_weight = knobs.entropy * _entropy_weight(settings, turns)
    ppo = policy_loss + settings.value_weight * value_loss - entropy_weight * entropy
    losses = [term.loss(network, rows, logits, turns) for term in setup.terms]
    added = sum((share * loss for share, loss in zip(knobs.shares[1:], losses, strict=True)), 0 * ppo)
    total = knobs.shares[0] * ppo + added
    metrics = {"loss": total, "value_loss": value_loss, "entropy": entropy, "terms": added}
    metrics |= {term.logged: loss for term, loss in zip(setup.terms, losses, strict=True) if term.logged}
    metrics["clipped"] = mean_over((jnp.abs(ratio - 1) > settings.clip).astype(jnp.float32), weight)
    return total, metrics


def _value_error(value: Array, before: Array, target: Array, clip: float) -> Array:
    """Squared; with a clip, what moved further than that from the value before gains nothing."""
    error = jnp.square(value - target)
    if not clip:
        return error
    near = before + jnp.clip(value - before, -clip, clip)
    return jnp.maximum(error, jnp.square(near - target))


def _entropy_weight(settings: PPOSettings, turns: Array) -> Array:
    """Falls on straight lines from one of the settings' points to the next."""
    shares, weights = zip(*settings.entropy_points, strict=True)
    return jnp.interp(turns / settings.total_turns, jnp.asarray(shares), jnp.asarray(weights))


def replay(stage: Stage, network: Network, rows: Rows, carry: Any) -> tuple[Array, Array]:
    """The network again on the rows, from the memories the rollout began with: (masked logits, values)."""
    layout = stage.layout(network.design)
    seen, everything, fresh = (
        layout.to_sequences(column) for column in (rows.observation, rows.everything, rows.fresh)
    )
    _, features = network.unroll(layout.to_streams(carry), seen, fresh, stage.dtype)
    logits, value = network.heads(features, everything, stage.dtype)
    return masked(layout.from_sequences(logits), rows.legal), layout.from_sequences(value)


def _play_metrics(setup: Setup, rows: Rows, done: Finished) -> dict[str, Array]:
    game = setup.stage.game
    decisions = setup.turns_per_update * (game.players if game.simultaneous else 1)
    deciding = split_axis(rows.learns, 1, setup.stage.learners).sum((0, 2, 3)) / decisions
    return {
        "games": done.games,
        "score": done.score / jnp.maximum(done.games, 1),
        "deciding": deciding.astype(jnp.float32),
    }
