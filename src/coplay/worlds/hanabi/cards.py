"""A card in a hand as one machine word: what it is and what has been told about it.

    bits  0-24   identities still possible after the hints on this card (colour-major: colour * ranks + rank)
    bits 25-29   the identity itself; 31 where it is hidden from the viewer
    bit  30      its colour was told;  bit 31: its rank was told

An empty slot is 0. Knowledge travels with its card because both are the same word, and a batch of games becomes a few
flat integer vectors, which is what both CPUs and GPUs are fast at. All functions work on uint32 scalars or arrays.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np

Array = jax.Array
T = TypeVar("T")

IDENTITY_SHIFT = 25
HIDDEN = 31
POSSIBLE = np.uint32((1 << 25) - 1)
COLOR_TOLD = np.uint32(1 << 30)
RANK_TOLD = np.uint32(1 << 31)


def word(value: int) -> np.uint32:
    """A Python integer as a constant of the type all card arithmetic uses."""
    return np.uint32(value)


def bit(index: Array) -> Array:
    """The set that holds only `index`; empty for indices above 31."""
    return word(1) << index.astype(jnp.uint32)


def identity(card: Array) -> Array:
    """The identity field: 0-24, or HIDDEN."""
    return (card >> word(IDENTITY_SHIFT)) & word(31)


def identity_set(card: Array) -> Array:
    """The card's identity as a one-element set; empty for an empty slot or a hidden card."""
    # A hidden identity sets bit 31, which is no card and falls to the mask.
    return jnp.where(card != 0, bit(identity(card)) & POSSIBLE, word(0))


def hide(card: Array) -> Array:
    """The card as its owner sees it; an empty slot stays empty."""
    return jnp.where(card != 0, card | word(HIDDEN << IDENTITY_SHIFT), word(0))


def tell(card: Array, members: Array, touched: Array, told: Array) -> Array:
    """Applies a hint that names the identity set `members`; `told` is COLOR_TOLD or RANK_TOLD."""
    positive = (card & (members | ~POSSIBLE)) | told
    negative = card & ~members
    return jnp.where(touched, positive, negative)


def pick(items: Sequence[Array], index: Array | int) -> Array:
    """items[index] by selection: far cheaper than a gather when there are a handful of items."""
    if isinstance(index, int):
        return items[index]
    chosen = items[0]
    for i in range(1, len(items)):
        chosen = jnp.where(index == i, items[i], chosen)
    return chosen


def pick_hand(hands: Sequence[Sequence[Array]], seat: Array | int) -> tuple[Array, ...]:
    """hands[seat], slot by slot."""
    return tuple(pick([hand[slot] for hand in hands], seat) for slot in range(len(hands[0])))


def union(sets: Sequence[Array]) -> Array:
    """The union of sets kept as words."""
    total = sets[0]
    for other in sets[1:]:
        total = total | other
    return total
