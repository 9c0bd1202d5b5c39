"""A card in a hand as one machine word: what it is and what has been told about it.

    bits  0-24   identities still possible after the hints on this card (colour-major: colour * ranks + rank)
    bits 25-29   the identity itself; 31 where it is hidden from the viewer
    bit  30      its colour was told;  bit 31: its rank was told

An empty slot is 0. Knowledge travels with its card because both are the same word, and a batch of games becomes a few
flat integer vectors, which is what both CPUs and GPUs are fast at. All functions work on uint32 scalars or arrays.

Six suits have more identities than bits. Hints leave open all cards of some colours and some ranks, so there the low
bits say which: bits 0-5 the colours, bits 6-10 the ranks. `possible` reads either, `open_bits` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

if TYPE_CHECKING:
    from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array
T = TypeVar("T")

IDENTITY_SHIFT = 25
HIDDEN = 31
POSSIBLE = np.uint32((1 << 25) - 1)
COLOR_TOLD = np.uint32(1 << 30)
RANK_TOLD = np.uint32(1 << 31)
FIRST_RANK = 6  # with six suits: the bit of the lowest rank


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
    return jnp.where(card != 0, bit(identity(card)) & word((1 << HIDDEN) - 1), word(0))


def possible(game: Hanabi, card: Array) -> Array:
    """The identities that the hints on the card leave open, as a set."""
    if game.num_identities <= IDENTITY_SHIFT:
        return card & POSSIBLE
    ranks = (card >> word(FIRST_RANK)) & word((1 << game.ranks) - 1)
    return union([jnp.where((card & word(1 << c)) != 0, ranks << word(c * game.ranks), 0) for c in range(game.colors)])


def open_bits(game: Hanabi, members: Array) -> Array:
    """The low bits of a card whose hints leave a set open, which holds all cards of some colours and some ranks."""
    if game.num_identities <= IDENTITY_SHIFT:
        return members
    column = word((1 << game.ranks) - 1)
    columns = [(members >> word(c * game.ranks)) & column for c in range(game.colors)]
    colors = union([jnp.where(ranks != 0, word(1 << c), word(0)) for c, ranks in enumerate(columns)])
    return colors | (union(columns) << word(FIRST_RANK))


def ranks_among(game: Hanabi, members: Array) -> Array:
    """The ranks that a set of identities has cards of, bit per rank."""
    for shift in _doubling(game.colors):
        members = members | (members >> word(shift * game.ranks))
    return members & word((1 << game.ranks) - 1)


def colors_among(game: Hanabi, members: Array) -> Array:
    """The colours that a set of identities has cards of, bit per colour.

    A handful of operations on all colours at once: every observation asks this of every card, and what is asked of one
    colour after the other was a fifth of all that had to be compiled for a training.
    """
    colors, ranks = game.colors, game.ranks
    low = word(game.all_identities & ~(game.first_of_color << (ranks - 1)))
    # Where a colour has any of its lower ranks, adding ones to all of them carries into its highest.
    any_card = ((((members & low) + low) | members) >> word(ranks - 1)) & word(game.first_of_color)
    if colors > ranks:  # then the products below would meet
        return union([(any_card >> word(c * (ranks - 1))) & word(1 << c) for c in range(colors)])
    # The bits lie `ranks` apart and shall lie side by side: one product moves each to its place.
    shift = (colors - 1) * (ranks - 1)
    moves = sum(1 << (shift - c * (ranks - 1)) for c in range(colors))
    return ((any_card * word(moves)) >> word(shift)) & word((1 << colors) - 1)


def _doubling(count: int) -> Iterator[int]:
    """The shifts that bring `count` fields together into the first, each covering twice as many."""
    shift = 1
    while shift < count:
        yield shift
        shift *= 2


def hide(card: Array) -> Array:
    """The card as its owner sees it; an empty slot stays empty."""
    return jnp.where(card != 0, card | word(HIDDEN << IDENTITY_SHIFT), word(0))


def tell(game: Hanabi, card: Array, members: Array, touched: Array, told: Array) -> Array:
    """Applies a hint that names the identity set `members`; `told` is COLOR_TOLD or RANK_TOLD."""
    if game.num_identities > IDENTITY_SHIFT:
        left = possible(game, card) & jnp.where(touched, members, ~members)
        return (card & ~POSSIBLE) | open_bits(game, left) | jnp.where(touched, told, word(0))
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
