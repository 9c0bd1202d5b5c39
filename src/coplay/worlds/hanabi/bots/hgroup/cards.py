"""Sets as integers: of identities (25 bits, colour * 5 + rank) and of cards (50 bits, by deal order)."""

from __future__ import annotations

COLORS = RANKS = 5
ALL = (1 << 25) - 1
COLOR_SET = tuple(31 << (5 * c) for c in range(COLORS))
RANK_SET = tuple(sum(1 << (5 * c + r) for c in range(COLORS)) for r in range(RANKS))
COPIES = tuple((3, 2, 2, 2, 1)[identity % 5] for identity in range(25))


def single(identities: int) -> int:
    """The only member of the set, or -1."""
    return identities.bit_length() - 1 if identities and identities & (identities - 1) == 0 else -1


def members(cards: int) -> list[int]:
    """The members of the set, lowest first."""
    found: list[int] = []
    while cards:
        low = cards & -cards
        found.append(low.bit_length() - 1)
        cards ^= low
    return found


def union(orders: tuple[int, ...] | list[int]) -> int:
    """The set of these cards."""
    found = 0
    for order in orders:
        found |= 1 << order
    return found
