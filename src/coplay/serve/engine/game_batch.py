"""All running tables of one game as one stack of states: a call moves many tables, and nothing compiles twice.

Rows of the stack are handed out and taken back; calls are padded to one of a few sizes, with rows that do not exist
filling up, so that the number of tables that move together never makes XLA compile again. Compiling is what a fresh
server spends its first minute on, so dealing, stepping and looking are one function.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.batches import NET_SIZES, SIZES, chunks, padded
from coplay.game import Game
from coplay.nets.policy import NetPolicy
from coplay.rollouts.rollout import decide_one, start_memory
from coplay.views.packed import pack_view, packing

Array = jax.Array
DEAL, STEP, LOOK = 0, 1, 2


class Look(NamedTuple):
    """What is known of tables after a step, one entry per table."""

    seat: np.ndarray  # int32: the entrant's seat that is on turn, or else its first seat: whose view this is
    to_move: np.ndarray  # bool [tables, players]
    done: np.ndarray  # bool
    illegal: np.ndarray  # bool: an action was refused, and nothing changed
    score: np.ndarray  # float32
    legal: np.ndarray  # bool [tables, actions], of `seat`
    vector: np.ndarray  # uint8 [tables, bytes]: the observation of `seat`, see `packing`
    words: np.ndarray  # uint32 [tables, words]: the view of `seat`, see views/packed.py


class GameBatch:
    """The tables of one game."""

    def __init__(self, game: Game, capacity: int = 64) -> None:
        self.game = game
        self.packing = packing(game)
        self.states = _stack(game, capacity)
        self.free = list(range(capacity - 1, -1, -1))
        self.policy_batches: dict[str, PolicyBatch] = {}

    @property
    def capacity(self) -> int:
        return jax.tree.leaves(self.states)[0].shape[0]

    def take(self, count: int) -> list[int]:
        """Rows for new tables; the stack doubles when it is full."""
        while len(self.free) < count:
            before = self.capacity
            self.states = _double(self.states)
            self.free = [*range(2 * before - 1, before - 1, -1), *self.free]
        return [self.free.pop() for _ in range(count)]

    def give_back(self, row: int) -> None:
        self.free.append(row)

    def begin(self, rows: Sequence[int], seeds: np.ndarray, mine: np.ndarray) -> Look:
        """Deals. seeds: uint32 [tables, 2]; mine: bool [tables, players], the entrant's seats."""
        return self._call(DEAL, rows, mine, seeds=seeds)

    def step(self, rows: Sequence[int], actions: np.ndarray, mine: np.ndarray) -> Look:
        """Plays int32 [tables, players] actions."""
        return self._call(STEP, rows, mine, actions=actions)

    def look(self, rows: Sequence[int], mine: np.ndarray) -> Look:
        """Only looks; with one seat in `mine`, from that seat."""
        return self._call(LOOK, rows, mine)

    def _call(self, mode: int, rows: Sequence[int], mine: np.ndarray, seeds: Any = None, actions: Any = None) -> Look:
        seeds = np.zeros((len(rows), 2), np.uint32) if seeds is None else seeds
        actions = np.zeros((len(rows), self.game.players), np.int32) if actions is None else actions
        looks = []
        for begin, count, size in chunks(len(rows)):
            chosen = padded(np.asarray(rows[begin : begin + count], np.int32), size, self.capacity)
            given = (padded(np.asarray(a[begin : begin + count]), size, 0) for a in (mine, seeds, actions))
            self.states, look = _advance(self.game, self.packing, np.int32(mode), self.states, chosen, *given)
            looks.append(jax.tree.map(lambda leaf, count=count: leaf[:count], jax.device_get(look)))
        return looks[0] if len(looks) == 1 else jax.tree.map(lambda *leaves: np.concatenate(leaves), *looks)

    def warm_up(self) -> None:
        """Compiles what tables need, before anyone waits for it."""
        row = self.take(1)
        self.look(row, np.ones((1, self.game.players), bool))
        self.give_back(row[0])

    def policy_batch(self, spec: str, policy: Any) -> PolicyBatch:
        """The seats that one partner takes at these tables."""
        if spec not in self.policy_batches:
            self.policy_batches[spec] = PolicyBatch(self.game, policy)
        return self.policy_batches[spec]


class PolicyBatch:
    """One policy in many seats of many tables: their memories in one stack, their decisions in one call."""

    def __init__(self, game: Game, policy: Any, capacity: int = 64) -> None:
        self.game, self.policy = game, policy
        self.listens = policy.hears == "every"
        self.sizes = NET_SIZES if isinstance(policy, NetPolicy) else SIZES
        self.memory = start_memory(policy, capacity)
        self.capacity = capacity
        self.free = list(range(capacity - 1, -1, -1))

    def sit(self) -> int:
        """A row with a fresh memory."""
        if not self.free:
            self.free = list(range(2 * self.capacity - 1, self.capacity - 1, -1))
            self.memory = _double(self.memory)
            self.capacity *= 2
        return self.free.pop()

    def leave(self, row: int) -> None:
        self.free.append(row)

    def warm_up(self, states: Any) -> None:
        """Compiles the largest call."""
        row = self.sit()
        self.decide(states, [(0, 0, row, 0, True)] * self.sizes[-1], np.zeros((self.sizes[-1], 2), np.uint32))
        self.leave(row)

    def decide(self, states: Any, asked: Sequence[tuple[int, int, int, int, bool]], keys: np.ndarray) -> np.ndarray:
        """Actions for (table row, seat, memory row, turn, is it the first time), keys uint32 [asked, 2]."""
        table = np.asarray(asked, np.int32).reshape(-1, 5)
        actions = []
        for begin, count, size in chunks(len(table), self.sizes):
            call = padded(table[begin : begin + count], size, 0)
            call[count:, 2] = self.capacity
            chosen = padded(keys[begin : begin + count], size, 0)
            self.memory, made = _decide(self.game, self.policy, states, self.memory, call, chosen)
            actions.append(np.asarray(made)[:count])
        return np.concatenate(actions)


def _double(tree: Any) -> Any:
    return jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), tree)


@eqx.filter_jit
def _stack(game: Game, capacity: int) -> Any:
    state = game.reset(jax.random.key(0))
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (capacity, *jnp.shape(leaf))), state)


def _gather(tree: Any, rows: Array) -> Any:
    return jax.tree.map(lambda leaf: leaf.at[rows].get(mode="clip"), tree)


def _scatter(tree: Any, rows: Array, new: Any) -> Any:
    return jax.tree.map(lambda leaf, value: leaf.at[rows].set(value, mode="drop"), tree, new)


@eqx.filter_jit
def _advance(
    game: Game, packing: str, mode: Any, states: Any, rows: Any, mine: Any, seeds: Any, actions: Any
) -> tuple[Any, Look]:
    """Deals, steps or only looks at some rows of the stack."""
    before = _gather(states, rows)
    step = jax.vmap(game.step)(before, actions)
    dealt = jax.vmap(lambda seed: game.reset(jax.random.wrap_key_data(seed)))(seeds)
    illegal = (step.events.illegal & jax.vmap(game.turn)(before)).any(-1) & (mode == STEP)

    def choose(old: Array, stepped: Array, new: Array) -> Array:
        return jnp.where(mode == DEAL, new, jnp.where(mode == STEP, stepped, old))

    after = jax.tree.map(choose, before, step.state, dealt)
    return _scatter(states, rows, after), _look(game, packing, after, mine, illegal)


def _look(game: Game, packing: str, states: Any, mine: Array, illegal: Array) -> Look:
    def one(state: Any, mine: Array) -> tuple[Any, ...]:
        to_move = game.turn(state)
        seat = jnp.where((to_move & mine).any(), jnp.argmax(to_move & mine), jnp.argmax(mine))
        view = game.view(state, seat)
        vector = game.encode(view).reshape(-1)
        vector = jnp.packbits(vector) if packing == "bits" else vector.astype(packing)
        score = jnp.asarray(game.score(state), jnp.float32)
        return seat, to_move, ~to_move.any(), score, game.legal(view), vector, pack_view(view)

    seat, to_move, done, *rest = jax.vmap(one)(states, mine)
    return Look(seat, to_move, done, illegal, *rest)  # pyright: ignore[reportArgumentType]


@eqx.filter_jit
def _decide(game: Game, policy: Any, states: Any, memory: Any, asked: Any, keys: Any) -> tuple[Any, Array]:
    rows, seats, places, turns, firsts = asked.T

    def one(state: Any, memory: Any, seat: Array, turn: Array, first: Array, key: Array) -> tuple[Any, Array]:
        before = jax.tree.map(lambda new, old: jnp.where(first, new, old), policy.start(), memory)
        key = jax.random.fold_in(jax.random.wrap_key_data(key), turn * game.players + seat)
        return decide_one(game, policy, seat, state, before, key)

    chosen = _gather(memory, places)
    after, actions = jax.vmap(one)(_gather(states, rows), chosen, seats, turns, firsts.astype(bool), keys)
    return _scatter(memory, places, after), actions
