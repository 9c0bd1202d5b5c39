"""All running tables of one game as one stack of states: a call moves many tables, and nothing compiles twice.

Rows of the stack are handed out and taken back; calls are padded to one of a few sizes, with rows that do not exist
filling up, so that the number of tables that move together never makes XLA compile again. Compiling takes a fresh
server up to a minute, so dealing, stepping and looking are one function; see `preparing.py` for when it is compiled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.batches import chunks, padded, sizes_for
from coplay.completion import firm
from coplay.game import Game
from coplay.serve.engine.programs import programs_of
from coplay.views.packed import pack_view, packing

Array = jax.Array
DEAL, STEP, LOOK = 0, 1, 2
CAPACITY = 1024  # tables; a state is a few hundred bytes
FEW = 64  # tables of people, where there are no entrants: a call for a few takes a tenth of the time


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

    def __init__(self, game: Game, capacity: int = CAPACITY) -> None:
        self.game, self.capacity = game, capacity
        self.free = list(range(capacity - 1, -1, -1))

    @cached_property
    def packing(self) -> str:
        return packing(self.game)

    @cached_property
    def states(self) -> Any:
        return _stack(self.game, self.capacity)

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows in a call."""
        return sizes_for(self.capacity)

    def states_for(self, capacity: int) -> Any:
        """The stack as it is when it has grown to `capacity`."""
        states, size = self.states, self.capacity
        while size < capacity:
            states, size = double(states), 2 * size
        return states

    def take(self, count: int) -> list[int]:
        """Rows for new tables; the stack doubles when it is full."""
        if len(self.free) < count:
            self.grow(self.capacity_for(count))
        return [self.free.pop() for _ in range(count)]

    def capacity_for(self, count: int) -> int:
        """How large the stack must be for so many more tables."""
        capacity, used = self.capacity, self.capacity - len(self.free)
        while capacity < used + count:
            capacity *= 2
        return capacity

    def grow(self, capacity: int) -> None:
        if capacity > self.capacity:
            self.states = self.states_for(capacity)
            self.free = [*range(capacity - 1, self.capacity - 1, -1), *self.free]
            self.capacity = capacity

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
        for begin, count, size in chunks(len(rows), self.sizes):
            chosen = padded(np.asarray(rows[begin : begin + count], np.int32), size, self.capacity)
            given = (padded(np.asarray(a[begin : begin + count]), size, 0) for a in (mine, seeds, actions))
            self.states, look = programs_of(self.game).advance(np.int32(mode), self.states, chosen, *given)
            looks.append(jax.tree.map(lambda leaf, count=count: leaf[:count], jax.device_get(look)))
        return looks[0] if len(looks) == 1 else jax.tree.map(lambda *leaves: np.concatenate(leaves), *looks)

    def warm_up(self, capacity: int) -> None:
        """Compiles what tables need, for a stack of this size. It may be called in any thread: it changes nothing."""
        players, states = self.game.players, self.states_for(capacity)
        for size in sizes_for(capacity):
            zeros = (np.zeros((size, width), kind) for width, kind in ((2, np.uint32), (players, np.int32)))
            rows, mine = np.full(size, capacity, np.int32), np.ones((size, players), bool)
            jax.block_until_ready(programs_of(self.game).advance(np.int32(LOOK), states, rows, mine, *zeros))


@eqx.filter_jit
def double(tree: Any) -> Any:
    """Each array twice as long."""
    return jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), tree)


@eqx.filter_jit
def _stack(game: Game, capacity: int) -> Any:
    state = firm(game.reset(jax.random.key(0)))
    return jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (capacity, *jnp.shape(leaf))), state)


def gather(tree: Any, rows: Array) -> Any:
    """Some rows of every array; one that does not exist is the last."""
    return jax.tree.map(lambda leaf: leaf.at[rows].get(mode="clip"), tree)


def scatter(tree: Any, rows: Array, new: Any) -> Any:
    """With some rows replaced; what is for one that does not exist is dropped."""
    return jax.tree.map(lambda leaf, value: leaf.at[rows].set(value, mode="drop"), tree, new)


def advance(game: Game, mode: Any, states: Any, rows: Any, mine: Any, seeds: Any, actions: Any) -> tuple[Any, Look]:
    """Deals, steps or only looks at some rows of the stack."""
    before = gather(states, rows)
    step = jax.vmap(game.step)(before, actions)
    dealt = jax.vmap(lambda seed: game.reset(jax.random.wrap_key_data(seed)))(seeds)
    illegal = (step.events.illegal & jax.vmap(game.turn)(before)).any(-1) & (mode == STEP)

    def choose(old: Array, stepped: Array, new: Array) -> Array:
        return jnp.where(mode == DEAL, new, jnp.where(mode == STEP, stepped, old))

    after = jax.tree.map(choose, before, step.state, dealt)
    return scatter(states, rows, after), _look(game, packing(game), after, mine, illegal)


def _look(game: Game, packing: str, states: Any, mine: Array, illegal: Array) -> Look:
    def one(state: Any, mine: Array) -> tuple[Any, ...]:
        to_move = game.turn(state)
        seat = jnp.where((to_move & mine).any(), jnp.argmax(to_move & mine), jnp.argmax(mine))
        view = game.view(state, seat)
        score = jnp.asarray(game.score(state), jnp.float32)
        return seat, to_move, ~to_move.any(), score, game.legal(view), vector_of(game, packing, view), pack_view(view)

    seat, to_move, done, *rest = jax.vmap(one)(states, mine)
    return Look(seat, to_move, done, illegal, *rest)  # pyright: ignore[reportArgumentType]


def vector_of(game: Game, packing: str, view: Any) -> Array:
    """An observation as it travels."""
    vector = game.encode(view).reshape(-1)
    return jnp.packbits(vector) if packing == "bits" else vector.astype(packing)
