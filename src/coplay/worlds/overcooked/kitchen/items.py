"""What a hand, a counter or a pot can hold, as one 4-bit code.

A soup of o onions and t tomatoes (one to three in all) is o + 4t, and 0 is nothing; the codes that no soup uses stand
for the single things. So a hand is four bits, eight counters fit one uint32 word, and a question about an item is one
bit test against a constant: no gathers, which is what keeps thousands of kitchens fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array

NOTHING, ONION, DISH, TOMATO = 0, 7, 10, 11
ITEM_BITS = 4
CODES = 1 << ITEM_BITS
POT_SIZE = 3  # ingredients in a full pot
SOUPS = tuple(o + 4 * t for o in range(4) for t in range(4) if 1 <= o + t <= POT_SIZE)
SLOTS = 8  # items in one uint32 word

# The coding of recordings and of `place`, `snapshot` and `View`: 0 nothing, 1 onion, 2 dish, 3 soup, 4 tomato.
RECORDED = {NOTHING: 0, ONION: 1, DISH: 2, TOMATO: 4} | dict.fromkeys(SOUPS, 3)
NAMES = ("nothing", "onion", "dish", "soup", "tomato")


def word(value: int) -> np.uint32:
    return np.uint32(value)


def soup(onions: int, tomatoes: int) -> int:
    return onions + 4 * tomatoes


def onions_in(code: int) -> int:
    """Onions in a soup or pot."""
    return code % 4


def tomatoes_in(code: int) -> int:
    """Tomatoes in a soup or pot."""
    return code // 4


def mask(codes: Iterable[int]) -> np.uint32:
    """A set of codes (or of any numbers below 32) as a word."""
    return word(sum(1 << code for code in set(codes)))


def among(code: Array, codes: Iterable[int]) -> Array:
    """bool: is the code in a fixed set?"""
    return ((mask(codes) >> code) & word(1)) != 0


def lookup(code: Array, table: Sequence[int]) -> Array:
    """int32: `table[code]`, as one bit test for each distinct number in the table."""
    total = jnp.zeros_like(code, jnp.int32)
    for value in sorted(set(table) - {0}):
        hit = (mask(c for c, entry in enumerate(table) if entry == value) >> code) & word(1)
        total = total + hit.astype(jnp.int32) * value
    return total


def tabulate(function: Callable[[int], int]) -> tuple[int, ...]:
    """A function of pot contents as a table over all codes; 0 for codes that are no contents."""
    return tuple(int(function(code)) if code in (NOTHING, *SOUPS) else 0 for code in range(CODES))


def is_soup(code: Array) -> Array:
    return among(code, SOUPS)


def is_ingredient(code: Array) -> Array:
    return among(code, (ONION, TOMATO))


def is_full(code: Array) -> Array:
    """bool: do the contents leave no room in a pot?"""
    return among(code, [c for c in SOUPS if onions_in(c) + tomatoes_in(c) == POT_SIZE])


def read(words: tuple[Array, ...], cell: Array) -> Array:
    """uint32: the item on a cell."""
    chosen = words[0]
    for index, other in enumerate(words[1:], start=1):
        chosen = jnp.where(cell >> word(3) == word(index), other, chosen)
    return (chosen >> _shift(cell)) & word(CODES - 1)


def change(words: tuple[Array, ...], cell: Array, difference: Array) -> tuple[Array, ...]:
    """The words with the item on a cell xor-ed with `difference` (0: left alone)."""
    flipped = difference << _shift(cell)
    if len(words) == 1:
        return (words[0] ^ flipped,)
    place = cell >> word(3)
    return tuple(old ^ jnp.where(place == word(index), flipped, word(0)) for index, old in enumerate(words))


def spread(words: tuple[Array, ...], cells: int) -> Array:
    """uint32 [cells]: the items one by one."""
    shifts = np.arange(0, SLOTS * ITEM_BITS, ITEM_BITS, dtype=np.uint32)
    return ((jnp.stack(words)[:, None] >> shifts) & word(CODES - 1)).reshape(-1)[:cells]


def gather_up(codes: Array) -> tuple[Array, ...]:
    """The words of items [cells], the inverse of `spread`."""
    slots = jnp.pad(codes, (0, -len(codes) % SLOTS)).reshape(-1, SLOTS)
    words = (slots << np.arange(0, SLOTS * ITEM_BITS, ITEM_BITS, dtype=np.uint32)).sum(axis=1, dtype=jnp.uint32)
    return tuple(words[index] for index in range(len(slots)))


def any_dish(words: tuple[Array, ...]) -> Array:
    """bool: does a dish lie anywhere? (The usual zero-nibble test after turning dishes into zeros.)"""
    found = word(0)
    for items in words:
        rest = items ^ word(DISH * 0x11111111)
        found = found | ((rest - word(0x11111111)) & ~rest & word(0x88888888))
    return found != word(0)


def _shift(cell: Array) -> Array:
    return (cell & word(SLOTS - 1)) << word(2)
