"""What an agent remembers in many games at once: a row for every seat that it has in a game."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.batches import SIZES, padded
from coplay.rollouts.rollout import start_memory


class Memories:
    """Rows in the order in which seats come up; the number of rows doubles, so that few shapes compile."""

    def __init__(self, policy: Any) -> None:
        self.rows: Any = start_memory(policy, SIZES[-1])
        self._places: dict[tuple[int, int], int] = {}

    def row(self, game: int, seat: int) -> tuple[int, bool]:
        """The row of a seat, and whether it is new."""
        new = (game, seat) not in self._places
        if new:
            self._places[game, seat] = len(self._places)
            if self._size and len(self._places) > self._size:
                self.rows = jax.tree.map(lambda leaf: jnp.concatenate([leaf, leaf]), self.rows)
        return self._places[game, seat], new

    def padded(self, calls: np.ndarray, size: int) -> np.ndarray:
        """Calls [n, ...] whose first column is a row, filled up with calls for no row."""
        filled = padded(calls, size, 0)
        filled[len(calls) :, 0] = self._size
        return filled

    @property
    def _size(self) -> int:
        leaves = jax.tree.leaves(self.rows)
        return leaves[0].shape[0] if leaves else 0


def before(policy: Any, memory: Any, rows: Any, new: Any) -> Any:
    """The memories of some rows; new ones are as at the start."""
    chosen = jax.tree.map(lambda leaf: leaf.at[rows].get(mode="clip"), memory)
    one = lambda own, fresh: jax.tree.map(lambda start, old: jnp.where(fresh, start, old), policy.start(), own)  # noqa: E731
    return jax.vmap(one)(chosen, new.astype(bool))


def after(memory: Any, rows: Any, found: Any) -> Any:
    """All memories, with those of some rows as they are now."""
    return jax.tree.map(lambda leaf, value: leaf.at[rows].set(value, mode="drop"), memory, found)
