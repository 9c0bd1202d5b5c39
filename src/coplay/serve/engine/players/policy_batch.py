"""One policy in many seats of many tables: their memories in one stack, their decisions in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.batches import NET_SIZES, SIZES, chunks, padded, sizes_for
from coplay.completion import firm
from coplay.game import Game
from coplay.nets.policy import NetPolicy
from coplay.player import unnamed
from coplay.rollouts.rollout import decide_one, start_memory
from coplay.serve.engine.game_batch import double, gather, scatter
from coplay.serve.engine.programs import programs_of

Array = jax.Array


class PolicyBatch:
    """The seats that one policy takes at the tables of one game; as many as these have for partners."""

    def __init__(self, game: Game, policy: Any, tables: int) -> None:
        self.game, self.policy = game, unnamed(policy)
        self.listens = policy.hears == "every"
        self.usual = NET_SIZES if isinstance(policy, NetPolicy) else SIZES
        self.capacity = tables * max(1, game.players - 1)
        self.memory = firm(start_memory(policy, self.capacity))
        self.free = list(range(self.capacity - 1, -1, -1))

    def sit(self) -> int:
        """A row with a fresh memory."""
        if not self.free:
            self.grow(2 * self.capacity)
        return self.free.pop()

    def leave(self, row: int) -> None:
        self.free.append(row)

    def grow(self, capacity: int) -> None:
        self.memory = self._memory_for(capacity)
        self.free = [*range(capacity - 1, self.capacity - 1, -1), *self.free]
        self.capacity = capacity

    def _memory_for(self, capacity: int) -> Any:
        memory, size = self.memory, self.capacity
        while size < capacity:
            memory, size = double(memory), 2 * size
        return memory

    def warm_up(self, states: Any, tables: int) -> None:
        """Compiles its decisions, for a stack of so many tables. It may be called in any thread: it changes nothing."""
        capacity = max(self.capacity, tables * max(1, self.game.players - 1))
        memory = self._memory_for(capacity)
        for size in self._sizes(capacity):
            asked = np.zeros((size, 5), np.int32)
            asked[:, 2] = capacity
            keys = np.zeros((size, 2), np.uint32)
            jax.block_until_ready(programs_of(self.game).decide(self.policy, states, memory, asked, keys))

    def _sizes(self, capacity: int) -> tuple[int, ...]:
        return sizes_for(capacity // max(1, self.game.players - 1), self.usual)

    def decide(self, states: Any, asked: Sequence[tuple[int, int, int, int, bool]], keys: np.ndarray) -> np.ndarray:
        """Actions for (table row, seat, memory row, turn, is it the first time), keys uint32 [asked, 2]."""
        table = np.asarray(asked, np.int32).reshape(-1, 5)
        actions, programs = [], programs_of(self.game)
        for begin, count, size in chunks(len(table), self._sizes(self.capacity)):
            call = padded(table[begin : begin + count], size, 0)
            call[count:, 2] = self.capacity
            chosen = padded(keys[begin : begin + count], size, 0)
            self.memory, made = programs.decide(self.policy, states, self.memory, call, chosen)
            actions.append(np.asarray(made)[:count])
        return np.concatenate(actions)


def decide(game: Game, policy: Any, states: Any, memory: Any, asked: Any, keys: Any) -> tuple[Any, Array]:
    rows, seats, places, turns, firsts = asked.T

    def one(state: Any, memory: Any, seat: Array, turn: Array, first: Array, key: Array) -> tuple[Any, Array]:
        before = jax.tree.map(lambda new, old: jnp.where(first, new, old), policy.start(), memory)
        key = jax.random.fold_in(jax.random.wrap_key_data(key), turn * game.players + seat)
        return decide_one(game, policy, seat, state, before, key)

    chosen = gather(memory, places)
    after, actions = jax.vmap(one)(gather(states, rows), chosen, seats, turns, firsts.astype(bool), keys)
    return scatter(memory, places, after), actions
