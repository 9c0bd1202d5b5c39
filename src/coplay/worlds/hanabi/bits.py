"""Writing short bit fields one after another, and turning them into a vector of 0s and 1s.

Everything before `expand` is integer arithmetic on a handful of words per game; the wide array is written once.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi.cards import word

Array = jax.Array
WIDTH = 32


class BitWriter:
    """Collects fields; bit 0 of the first field becomes entry 0 of the vector."""

    def __init__(self) -> None:
        self.size = 0
        self._words: list[Array] = []

    def put(self, field: Array, bits: int) -> None:
        """Appends the low `bits` bits of a uint32 field; higher bits must be zero."""
        offset = self.size % WIDTH
        if offset == 0:
            self._words.append(field)
        else:
            self._words[-1] = self._words[-1] | (field << word(offset))
            if offset + bits > WIDTH:
                self._words.append(field >> word(WIDTH - offset))
        self.size += bits

    def put_below(self, count: Array, bits: int) -> None:
        """Appends a thermometer: the lowest `count` of `bits` bits are set."""
        count = count.astype(jnp.int32)
        for begin in range(0, bits, WIDTH - 1):
            width = min(WIDTH - 1, bits - begin)
            filled = jnp.clip(count - begin, 0, width).astype(jnp.uint32)
            self.put((word(1) << filled) - word(1), width)

    def expand(self) -> Array:
        """All fields as uint8 [size] of 0s and 1s."""
        # The barrier has the words computed once and kept; without it a GPU computes them again for every bit.
        words = jnp.stack(jax.lax.optimization_barrier(tuple(self._words)))
        return expand(words, WIDTH).reshape(-1)[: self.size]


def expand(words: Array, size: int) -> Array:
    """The low `size` bits of each uint32 word [...], low bit first, as uint8 [..., size]."""
    return ((words[..., None] >> np.arange(size, dtype=np.uint32)) & word(1)).astype(jnp.uint8)
