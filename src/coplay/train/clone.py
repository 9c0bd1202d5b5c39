"""Behavioural cloning: recorded games as rows, the loss on them, and one pass over them as a compiled loop."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from coplay.compiling import quick_jit
from coplay.data.joining import RECORDING, join
from coplay.data.people import counting_seats
from coplay.faces import faces_of
from coplay.game import Game
from coplay.games import family
from coplay.nets.network import Design, Network
from coplay.nets.policy import masked, observe
from coplay.rollouts.episode import Episodes, joint_actions
from coplay.train.learner.rows import Layout, layout_of, round_up
from coplay.train.learner.terms import mean_over
from coplay.train.settings import TrainError, listed

Array = jax.Array
# Games replayed at once, at most and at least: the observations of all of them are kept, the work beside it is not.
CHUNK, FEWEST = 512, 32


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


def read_games(game: Game, files: str) -> Episodes:
    """The games of one file or folder, or of several separated by commas, of any format that `coplay data` reads.

    Of a place that holds several kinds of games (kitchens), those of this one.
    """
    from coplay.data.formats import read_all

    parts: list[Episodes] = []
    for path in listed(files):
        held = read_all(path)
        found = [one for one in (_as_games_of(game, one) for one in held) if one is not None]
        if not found:
            kinds = ", ".join(dict.fromkeys(_called(one.game) for one in held))
            raise TrainError(f"{path} holds games of {kinds}, not of {_called(game)}.")
        parts += found
    return join(_apart(parts))


def _called(game: Game) -> str:
    return f"{faces_of(game).title(game)} for {game.players}"


def _as_games_of(game: Game, held: Episodes) -> Episodes | None:
    if family(held.game) != family(game):
        return None
    training = faces_of(game).training
    if training is None:
        return held if held.game.players == game.players else None
    return training.recorded(game, held)


def _apart(parts: list[Episodes]) -> list[Episodes]:
    """Recordings of different sets get different numbers; where there is one in all, its parts may be parted."""
    if any(RECORDING not in part.extra for part in parts):
        return parts
    counts = [int(part.extra[RECORDING].max(initial=-1)) + 1 for part in parts]
    if sum(counts) == 1:
        return [replace(part, extra={k: v for k, v in part.extra.items() if k != RECORDING}) for part in parts]
    firsts = np.cumsum([0, *counts])
    numbers = [part.extra[RECORDING] + first for part, first in zip(parts, firsts, strict=False)]
    return [replace(p, extra={**p.extra, RECORDING: own}) for p, own in zip(parts, numbers, strict=True)]


def _layout(game: Game, design: Design) -> Layout:
    """Every seat of a recorded game is looked at."""
    return layout_of(game, design, alone=False, cells=None)


def lessons(game: Game, design: Design, games: Episodes) -> Lessons:
    """Replays the games and keeps what a seat saw before each move; only people's moves where the file marks them."""
    single = _layout(game, design).turn_by_turn
    moves = joint_actions(games)
    turns = round_up(moves.shape[1], game.players)
    moves = np.pad(moves, ((0, 0), (0, turns - moves.shape[1]), (0, 0)), constant_values=-1)
    seats = counting_seats(games.extra, len(games), game.players)
    size = min(CHUNK, max(FEWEST, 1 << (len(games) - 1).bit_length()))
    parts = []
    for first in range(0, len(games), size):
        chosen = np.minimum(np.arange(first, first + size), len(games) - 1)  # filled up: nothing compiles twice
        starts = jax.tree.map(lambda leaf, chosen=chosen: np.asarray(leaf)[chosen], games.starts)
        found = _look(game, single, starts, moves[chosen], games.lengths[chosen], seats[chosen])
        parts.append(jax.tree.map(np.asarray, found))
    return jax.device_put(jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(games)], *parts))


@quick_jit
def _look(game: Game, single: bool, starts: Any, moves: Any, lengths: Any, counted: Any) -> Lessons:
    return jax.vmap(partial(_look_at_one, game, single))(starts, moves, lengths, counted)


def _look_at_one(game: Game, single: bool, start: Any, moves: Array, length: Array, counted: Array) -> Lessons:
    def turn(state: Any, now: tuple[Array, Array]) -> tuple[Any, tuple[Array, ...]]:
        number, joint = now
        played = number < length
        seats = jnp.argmax(game.turn(state))[None] if single else jnp.arange(game.players)
        views = jax.vmap(game.view, (None, 0))(state, seats)
        seen, legal = jax.vmap(lambda view: (observe(game, view), game.legal(view)))(views)
        mine = legal.any(-1) & played & counted[seats]
        after = game.step(state, jnp.where(played, joint, -1)).state  # -1 changes nothing
        return after, (seen, legal, jnp.maximum(joint[seats], 0), mine)

    rows = (jnp.arange(moves.shape[0]), jnp.asarray(moves, jnp.int32))
    _, (seen, legal, action, mine) = jax.lax.scan(turn, start, rows)
    return Lessons(seen, legal, action, mine, jnp.asarray(length, jnp.int32))


def in_stretches(found: Lessons, length: int) -> Lessons:
    """Games cut into stretches of so many turns, for networks that remember nothing from one to the next."""
    turns = np.asarray(found.turns)
    blocks = -(-found.action.shape[1] // length)
    left = turns[:, None] - np.arange(blocks) * length
    rows, block = np.nonzero(left > 0)

    def cut(leaf: Array) -> Array:
        more = ((0, 0), (0, blocks * length - leaf.shape[1]), *((0, 0),) * (leaf.ndim - 2))
        parts = np.pad(np.asarray(leaf), more).reshape(len(leaf), blocks, length, *leaf.shape[2:])
        return jnp.asarray(parts[rows, block])

    return Lessons(
        observation=cut(found.observation),
        legal=cut(found.legal),
        action=cut(found.action),
        counts=cut(found.counts),
        turns=jnp.asarray(np.minimum(left[rows, block], length), jnp.int32),
    )


def relabelled(game: Game, part: Lessons, key: Array) -> Lessons:
    """Each game through its own random symmetry: observations, legal moves and the move itself alike."""
    labels = jax.random.randint(key, (part.turns.shape[0],), 0, len(game.symmetries))
    tables = jax.vmap(lambda index: game.symmetries[index])(labels)
    bits, actions = tables.bits[:, None, None], tables.actions[:, None, None]
    renamed = jnp.argsort(tables.actions, axis=-1)  # original action -> relabelled one
    flat = part.observation.reshape(*part.observation.shape[:3], -1)
    return part._replace(
        observation=jnp.take_along_axis(flat, bits, axis=3).reshape(part.observation.shape),
        legal=jnp.take_along_axis(part.legal, actions, axis=3),
        action=jax.vmap(lambda table, moves: table[moves])(renamed, part.action),
    )


def log_probs(game: Game, network: Network, part: Lessons, key: Array | None = None, dtype: Any = jnp.float32) -> Array:
    """float32 [games, turns, rows, actions] of a network that follows the games from their start."""
    design = network.design
    layout = _layout(game, design)
    seen = layout.to_sequences(jnp.swapaxes(part.observation, 0, 1))
    fresh = jnp.zeros(seen.shape[:3], bool)
    start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (*seen.shape[1:3], *leaf.shape)), network.start())
    _, features = network.unroll(start, seen, fresh, dtype)
    everything = jnp.zeros((*seen.shape[:3], design.critic_inputs), jnp.uint8)
    logits, _ = network.heads(features, everything, dtype, key)
    logits = jnp.swapaxes(layout.from_sequences(logits), 0, 1)
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
def examine(game: Game, networks: Network, found: Lessons, groups: Array, dtype: Any) -> Sums:
    """Sums [networks] over games in groups [batches, games]; -1 stands for no game. Networks are stacked."""

    def one(total: Sums, indices: Array) -> tuple[Sums, None]:
        part = pick(found, indices)
        sums = eqx.filter_vmap(lambda network: judge(game, network, part, None, dtype)[1])(networks)
        return jax.tree.map(lambda a, b: a + b, total, sums), None

    count = jax.tree.leaves(eqx.filter(networks, eqx.is_array))[0].shape[0]
    zero = Sums(*(jnp.zeros(count, jnp.float32) for _ in Sums._fields))
    return jax.lax.scan(one, zero, groups)[0]


@eqx.filter_jit(donate="all-except-first")
def one_epoch(
    fixed_part: tuple[Game, optax.GradientTransformation, Lessons, bool, Any],
    networks: Network,
    state: Any,
    groups: Array,
    key: Array,
) -> tuple[Network, Any, Sums]:
    """One pass over games in groups [batches, games]; -1 stands for no game.

    Networks and their optimisers are stacked and learn side by side: from the same games in the same order, each
    through symmetries and dropout of its own. fixed_part: the game, the optimiser, the games, whether each game is seen
    through a random symmetry, and the type that networks compute in.
    """
    game, tool, found, permute, dtype = fixed_part
    weights, fixed = eqx.partition(networks, eqx.is_array)
    count = jax.tree.leaves(weights)[0].shape[0]

    def loss(weights: Any, part: Lessons, key: Array) -> tuple[Array, Sums]:
        return judge(game, eqx.combine(weights, fixed), part, key, dtype)

    def each(weights: Any, state: Any, part: Lessons, key: Array) -> tuple[Any, Any, Sums]:
        label, drop = jax.random.split(key)
        lesson = relabelled(game, part, label) if permute else part
        slope, sums = jax.grad(loss, has_aux=True)(weights, lesson, drop)
        change, state = tool.update(slope, state, weights)
        return eqx.apply_updates(weights, change), state, sums

    def one(now: tuple[Any, Any], batch: tuple[Array, Array]) -> tuple[tuple[Any, Any], Sums]:
        indices, key = batch
        part, keys = pick(found, indices), jax.random.split(key, count)
        weights, state, sums = jax.vmap(each, (0, 0, None, 0))(*now, part, keys)
        return (weights, state), sums

    keys = jax.random.split(key, groups.shape[0])
    (weights, state), sums = jax.lax.scan(one, (weights, state), (groups, keys))
    return eqx.combine(weights, fixed), state, jax.tree.map(lambda leaf: leaf.sum(0), sums)


def of_one(sums: Sums, number: int) -> Sums:
    """The sums of one of several networks."""
    return Sums(*(np.asarray(leaf)[number] for leaf in sums))


def pick(found: Lessons, indices: Array) -> Lessons:
    """The games of these numbers; -1 stands for a game without decisions."""
    part = jax.tree.map(lambda leaf: leaf[jnp.maximum(indices, 0)], found)
    there = indices >= 0
    return part._replace(counts=part.counts & there[:, None, None], turns=part.turns * there)


def in_groups(order: np.ndarray, size: int) -> Array:
    """int32 [batches, size]: the order cut up; what is missing from the last batch is -1."""
    filled = np.full(-(-order.size // size) * size, -1, np.int32)
    filled[: order.size] = order
    return jax.device_put(filled.reshape(-1, size))
