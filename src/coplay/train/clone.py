"""Behavioural cloning: recorded games as rows, the loss on them, and one pass over them as a compiled loop."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from coplay.agents.nets.network import Design, Network
from coplay.agents.nets.policy import masked, observe
from coplay.data import Games, join
from coplay.data.replay import replay_views
from coplay.games.game import Game
from coplay.train.rows import from_sequences, one_row_per_turn, round_up, to_sequences
from coplay.train.settings import TrainError, listed
from coplay.train.terms import mean_over

Array = jax.Array
CHUNK = 128  # games replayed at once: the observations of all of them are kept, the work beside it is not


class Lessons(NamedTuple):
    """Every decision of recorded games, [games, turns, rows, ...]."""

    observation: Array  # uint8
    legal: Array  # bool [..., actions]
    action: Array  # int32
    counts: Array  # bool: a decision to learn from
    turns: Array  # int32 [games]: recorded turns


class Sums(NamedTuple):
    """Added up over decisions; per turn of every seat is the unit of the AH2AC2 paper."""

    loss: Array
    right: Array
    decisions: Array
    seat_turns: Array  # turns x players

    @property
    def per_decision(self) -> float:
        return float(self.loss / np.maximum(self.decisions, 1))

    @property
    def per_seat_turn(self) -> float:
        return float(self.loss / np.maximum(self.seat_turns, 1))

    @property
    def accuracy(self) -> float:
        return float(self.right / np.maximum(self.decisions, 1))


def read_games(game: Any, files: str) -> Games:
    """The games of one file, or of several separated by commas, of any format that `coplay data` reads."""
    from coplay.data.kinds import read

    parts = []
    for path in listed(files):
        part = read(path)
        if part.players != game.players:
            raise TrainError(f"{path} holds games of {part.players} players, not {game.players}.")
        parts.append(part)
    return join(parts)


def lessons(game: Any, design: Design, games: Games) -> Lessons:
    """Replays the games and keeps what a seat saw before each move; only people's moves where the file marks them."""
    single = one_row_per_turn(game, design)
    turns = round_up(games.actions.shape[1], game.players)
    actions = np.pad(games.actions, ((0, 0), (0, turns - games.actions.shape[1])), constant_values=-1)
    teacher = games.extra.get("human_seat")
    seats = np.full(len(games), -1) if teacher is None else np.broadcast_to(np.asarray(teacher), (len(games),))
    look = jax.jit(jax.vmap(partial(_look, game, single)))
    parts = []
    for first in range(0, len(games), CHUNK):
        chosen = np.minimum(np.arange(first, first + CHUNK), len(games) - 1)  # filled up: nothing compiles twice
        found = look(games.decks[chosen], actions[chosen], games.lengths[chosen], seats[chosen])
        parts.append(jax.tree.map(np.asarray, found))
    return jax.tree.map(lambda *leaves: jnp.asarray(np.concatenate(leaves)[: len(games)]), *parts)


def _look(game: Any, single: bool, deck: Array, actions: Array, length: Array, teacher: Array) -> Lessons:
    views, recorded = replay_views(game, deck, actions, length, "acting" if single else "all")
    if single:
        views = jax.tree.map(lambda leaf: leaf[:, None], views)
    both = jax.vmap(jax.vmap(lambda view: (observe(game, view), game.legal(view), view.seat)))
    observation, legal, seat = both(views)
    mine = legal.any(-1) & recorded[:, None] & ((teacher < 0) | (seat == teacher))
    action = jnp.broadcast_to(jnp.maximum(actions, 0)[:, None], mine.shape)
    return Lessons(observation, legal, action, mine, jnp.asarray(length, jnp.int32))


def relabelled(game: Game, part: Lessons, key: Array) -> Lessons:
    """Each game through its own random symmetry: observations, legal moves and the move itself alike."""
    labels = jax.random.randint(key, (part.turns.shape[0],), 0, len(game.symmetries))
    tables = jax.vmap(lambda index: game.symmetries[index])(labels)
    bits, actions = tables.bits[:, None, None], tables.actions[:, None, None]
    renamed = jnp.argsort(tables.actions, axis=-1)  # original action -> relabelled one
    return part._replace(
        observation=jnp.take_along_axis(part.observation, bits, axis=3),
        legal=jnp.take_along_axis(part.legal, actions, axis=3),
        action=jax.vmap(lambda table, moves: table[moves])(renamed, part.action),
    )


def log_probs(game: Game, network: Network, part: Lessons, key: Array | None = None, dtype: Any = jnp.float32) -> Array:
    """float32 [games, turns, rows, actions] of a network that follows the games from their start."""
    design = network.design
    seen = to_sequences(game, design, jnp.swapaxes(part.observation, 0, 1))
    fresh = jnp.zeros(seen.shape[:3], bool)
    start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (*seen.shape[1:3], *leaf.shape)), network.start())
    _, features = network.unroll(start, seen, fresh, dtype)
    everything = jnp.zeros((*seen.shape[:3], design.critic_inputs), jnp.uint8)
    logits, _ = network.heads(features, everything, dtype, key)
    logits = jnp.swapaxes(from_sequences(game, design, logits), 0, 1)
    return jax.nn.log_softmax(masked(logits, part.legal))


def judge(game: Game, network: Network, part: Lessons, key: Array | None, dtype: Any) -> tuple[Array, Sums]:
    """The mean loss per decision, and sums for reports."""
    told = log_probs(game, network, part, key, dtype)
    chosen = jnp.take_along_axis(told, part.action[..., None], axis=-1)[..., 0]
    right = jnp.argmax(told, axis=-1) == part.action
    sums = Sums(
        loss=jnp.where(part.counts, -chosen, 0).sum(),
        right=(right & part.counts).sum(),
        decisions=part.counts.sum(),
        seat_turns=part.turns.sum() * game.players,
    )
    return mean_over(-chosen, part.counts), sums


@eqx.filter_jit
def examine(game: Game, network: Network, found: Lessons, groups: Array, dtype: Any) -> Sums:
    """Sums over games in groups [batches, games]; -1 stands for no game."""

    def one(total: Sums, indices: Array) -> tuple[Sums, None]:
        _, sums = judge(game, network, pick(found, indices), None, dtype)
        return jax.tree.map(lambda a, b: a + b, total, sums), None

    zero = Sums(*(jnp.float32(0) for _ in Sums._fields))
    return jax.lax.scan(lambda t, i: one(t, i), zero, groups)[0]


@eqx.filter_jit
def one_epoch(
    game: Game,
    tool: optax.GradientTransformation,
    network: Network,
    state: Any,
    found: Lessons,
    groups: Array,
    key: Array,
    permute: bool,
    dtype: Any,
) -> tuple[Network, Any, Sums]:
    """One pass over games in groups [batches, games]; -1 stands for no game."""
    weights, fixed = eqx.partition(network, eqx.is_array)

    def loss(weights: Any, part: Lessons, key: Array) -> tuple[Array, Sums]:
        return judge(game, eqx.combine(weights, fixed), part, key, dtype)

    def one(now: tuple[Any, Any], batch: tuple[Array, Array]) -> tuple[tuple[Any, Any], Sums]:
        weights, state = now
        indices, key = batch
        label, drop = jax.random.split(key)
        part = pick(found, indices)
        if permute:
            part = relabelled(game, part, label)
        slope, sums = jax.grad(loss, has_aux=True)(weights, part, drop)
        change, state = tool.update(slope, state, weights)
        return (eqx.apply_updates(weights, change), state), sums

    keys = jax.random.split(key, groups.shape[0])
    (weights, state), sums = jax.lax.scan(one, (weights, state), (groups, keys))
    return eqx.combine(weights, fixed), state, jax.tree.map(lambda leaf: leaf.sum(), sums)


def pick(found: Lessons, indices: Array) -> Lessons:
    """The games of these numbers; -1 stands for a game without decisions."""
    part = jax.tree.map(lambda leaf: leaf[jnp.maximum(indices, 0)], found)
    there = indices >= 0
    return part._replace(counts=part.counts & there[:, None, None], turns=part.turns * there)


def in_groups(order: np.ndarray, size: int) -> Array:
    """int32 [batches, size]: the order cut up; what is missing from the last batch is -1."""
    filled = np.full(-(-order.size // size) * size, -1, np.int32)
    filled[: order.size] = order
    return jnp.asarray(filled.reshape(-1, size))
