"""Learning a belief: games of players as they are, and in every position what each seat could not see.

The players are fixed. Their games go on from one rollout to the next, every rollout is one step of Adam, and no game
is seen twice. Several learners' players and beliefs are stacked, each with games of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from coplay.faces import Hidden
from coplay.game import Game
from coplay.nets.belief import BeliefNetwork, plain_odds, surprise
from coplay.nets.network import Design, Network
from coplay.nets.policy import masked, observe
from coplay.rollouts.restart import finished, renew
from coplay.train.learner.rollout import of_seat

Array = jax.Array
SMOOTH = 0.05  # share of the newest rollout in the figures that are told


class BeliefSettings(NamedTuple):
    """How a belief is learned."""

    turns: float = 3e7  # of all games of a learner together
    games: int = 1024
    rollout: int = 32  # turns per step
    learning_rate: float = 1e-3  # falls to 0
    embed: int = 512
    hidden: int = 512
    decoder: int = 256

    @property
    def steps(self) -> int:
        return max(round(self.turns / (self.games * self.rollout)), 1)


class Told(NamedTuple):
    """How well it guesses after so many steps, nats per seat and turn; float32 [learners]."""

    step: int
    cross_entropy: Array
    by_facts: Array  # what the plain facts alone leave open


class _Tables(NamedTuple):
    states: Any
    carry: Any  # of the belief [games, players, ...]
    minds: Any  # of the players, likewise; () if they have no memory
    fresh: Array  # bool [games]


def design_of(game: Game, scale: float, settings: BeliefSettings) -> Design:
    """Only what the encoder and the memory read of it counts."""
    return Design(
        inputs=game.observation_shape,
        actions=game.num_actions,
        scale=scale,
        embed=settings.embed,
        cell="lstm",
        hidden=settings.hidden,
        actor=settings.decoder,
        hears="every",
    )


def new_beliefs(keys: Array, game: Game, face: Hidden, design: Design) -> BeliefNetwork:
    """Stacked, one per key."""
    slots, values = face.slots(game)
    return eqx.filter_vmap(lambda key: BeliefNetwork(key, design, slots, values))(keys)


def learn_belief(
    game: Game, face: Hidden, players: Network, beliefs: BeliefNetwork, settings: BeliefSettings, key: Array, dtype: Any
) -> Iterator[tuple[BeliefNetwork, Told]]:
    """Beliefs about the games of `players` (stacked networks; a memory hears every turn), after every tenth of the
    way."""
    learners = jax.tree.leaves(eqx.filter(players, eqx.is_array))[0].shape[0]
    keys = jax.random.split(key, learners)
    opened, state = _begin(game, settings, players, beliefs, keys)
    figures, done = jnp.zeros((learners, 2)), 0
    parts = [settings.steps * part // 10 for part in range(1, 11)]
    for number, end in enumerate(parts):
        if end == done:
            continue
        keys = jax.vmap(lambda one, number=number: jax.random.fold_in(one, number))(keys)
        beliefs, state, opened, figures = _some_steps(
            *((game, face, settings, dtype), players, beliefs, state, opened, figures),
            keys,
            jnp.int32(end - done),
        )
        done = end
        yield beliefs, Told(done, figures[:, 0], figures[:, 1])


def _optimiser(settings: BeliefSettings) -> optax.GradientTransformation:
    rate = optax.linear_schedule(settings.learning_rate, 0.0, settings.steps)
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adam(rate))


@eqx.filter_jit
def _begin(game: Game, settings: BeliefSettings, players: Network, beliefs: BeliefNetwork, keys: Array) -> Any:
    """Tables and optimisers before the first step, [learners, ...]."""

    def one(player: Network, belief: BeliefNetwork, key: Array) -> tuple[_Tables, Any]:
        optimiser = _optimiser(settings).init(eqx.filter(belief, eqx.is_array))
        return _open(game, player, belief, settings, key), optimiser

    return eqx.filter_vmap(one)(players, beliefs, keys)


def _open(game: Game, player: Network, belief: BeliefNetwork, settings: BeliefSettings, key: Array) -> _Tables:
    states = jax.vmap(game.reset)(jax.random.split(key, settings.games))

    def empty(memory: Any) -> Any:
        return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (settings.games, game.players, *leaf.shape)), memory)

    return _Tables(states, empty(belief.start()), empty(player.start()), jnp.ones(settings.games, bool))


@eqx.filter_jit
def _some_steps(
    fixed: Any, players: Network, beliefs: Any, state: Any, tables: Any, figures: Array, keys: Array, count: Array
) -> Any:
    arrays, rest = eqx.partition(beliefs, eqx.is_array)

    def one(number: Array, now: Any) -> Any:
        arrays, state, tables, figures, keys = now

        def each(player: Network, mine: Any, state: Any, tables: Any, key: Array) -> Any:
            return _step(fixed, player, eqx.combine(mine, rest), state, tables, jax.random.fold_in(key, number))

        found = eqx.filter_vmap(each)(players, arrays, state, tables, keys)
        beliefs, state, tables, told = found
        first = jnp.all(figures == 0)
        figures = jnp.where(first, told, (1 - SMOOTH) * figures + SMOOTH * told)
        return eqx.filter(beliefs, eqx.is_array), state, tables, figures, keys

    arrays, state, tables, figures, _ = jax.lax.fori_loop(0, count, one, (arrays, state, tables, figures, keys))
    return eqx.combine(arrays, rest), state, tables, figures


class _Seen(NamedTuple):
    observation: Array  # [turns, games, players, *inputs]
    fresh: Array  # bool [turns, games, players]
    plain: Array  # float32 [turns, games, players, slots, values]: what the facts say, see `plain_odds`
    truth: Array  # int32 [turns, games, players, slots]
    counts: Array  # bool [turns, games, players]


def _step(fixed: Any, player: Network, belief: BeliefNetwork, state: Any, tables: _Tables, key: Array) -> Any:
    game, face, settings, dtype = fixed
    began = tables.carry
    tables, seen = _play(game, face, player, tables, settings.rollout, key, dtype)
    arrays, rest = eqx.partition(belief, eqx.is_array)

    def loss(arrays: Any) -> Any:
        mine: BeliefNetwork = eqx.combine(arrays, rest)
        carry, features = mine.unroll(began, seen.observation, seen.fresh, dtype)
        told = surprise(mine, seen.plain, features, seen.truth, dtype)
        means = jnp.where(seen.counts[..., None], told, 0).sum((0, 1, 2)) / jnp.maximum(seen.counts.sum(), 1)
        return means[0], (means, carry)

    slope, (means, carry) = jax.grad(loss, has_aux=True)(arrays)
    change, state = _optimiser(settings).update(slope, state, arrays)
    return eqx.combine(eqx.apply_updates(arrays, change), rest), state, tables._replace(carry=carry), means


def _play(game: Game, face: Hidden, player: Network, tables: _Tables, turns: int, key: Array, dtype: Any) -> Any:
    """So many turns of all games; the memories of the belief are not moved."""
    seats = jnp.arange(game.players)

    def one(now: tuple[Any, Any, Array], key: Array) -> tuple[tuple[Any, Any, Array], _Seen]:
        states, minds, fresh = now
        draw, deal = jax.random.split(key)
        over = finished(game, states)
        views = jax.vmap(lambda state: jax.vmap(lambda seat: game.view(state, seat))(seats))(states)
        observation = jax.vmap(jax.vmap(lambda view: observe(game, view)))(views)
        plain, truth = _of_seats(lambda state, seat: _open_question(game, face, state, seat), states, seats)
        seen = _Seen(
            observation=observation,
            fresh=jnp.broadcast_to(fresh[:, None], (fresh.size, game.players)),
            plain=plain,
            truth=truth,
            counts=jnp.broadcast_to(~over[:, None], (over.size, game.players)),
        )
        mover = jnp.argmax(jax.vmap(game.turn)(states), axis=1)
        mine, legal = (of_seat(column, mover) for column in (observation, jax.vmap(jax.vmap(game.legal))(views)))
        if minds:
            minds, features = player.step(_unless(fresh, minds), observation, dtype)
            features = of_seat(features, mover)
        else:
            _, features = player.step((), mine, dtype)
        logits, _ = player.heads(features, jnp.zeros((mover.size, 0), jnp.uint8), dtype)
        action = jax.random.categorical(draw, masked(logits, legal))
        step = jax.vmap(game.step)(states, jnp.broadcast_to(action[:, None], (mover.size, game.players)))
        states, begun = renew(game, step.state, finished(game, step.state), deal)
        return (states, minds, begun), seen

    now = (tables.states, tables.minds, tables.fresh)
    (states, minds, fresh), seen = jax.lax.scan(one, now, jax.random.split(key, turns))
    return tables._replace(states=states, minds=minds, fresh=fresh), seen


def _open_question(game: Game, face: Hidden, state: Any, seat: Array) -> tuple[Array, Array]:
    """What the facts say about what a seat does not see, and what is true."""
    truth = face.hidden(game, state, seat)
    return plain_odds(face, face.facts(game, state, seat), truth), truth


def _of_seats(function: Any, states: Any, seats: Array) -> Any:
    return jax.vmap(lambda state: jax.vmap(lambda seat: function(state, seat))(seats))(states)


def _unless(fresh: Array, minds: Any) -> Any:
    """Nobody remembers the game before."""
    return jax.tree.map(lambda leaf: jnp.where(fresh.reshape(-1, *(1,) * (leaf.ndim - 1)), 0, leaf), minds)
