"""Cards, and what hints say about them.

Cards here are (colour, rank) from 0; the words they are read from are those of `coplay.worlds.hanabi.cards`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from coplay.worlds.hanabi.cards import COLOR_TOLD, HIDDEN, IDENTITY_SHIFT, POSSIBLE, RANK_TOLD

COLOR_CHAR = ["R", "Y", "G", "W", "B"]

_POSSIBLE, _COLOR_TOLD, _RANK_TOLD = int(POSSIBLE), int(COLOR_TOLD), int(RANK_TOLD)


def color_idx_to_char(color_idx: int) -> str | None:
    """The colour's letter; None for -1, a colour nobody may know."""
    return None if color_idx == -1 else COLOR_CHAR[color_idx]


def color_char_to_idx(color_char: str) -> int:
    """The number of a colour's letter."""
    if color_char not in COLOR_CHAR:
        raise ValueError(f"color {color_char!r}: the colours are {', '.join(COLOR_CHAR)}.")
    return COLOR_CHAR.index(color_char)


class HanabiCard:
    """A card; -1 for what the observer may not know. No tuple: numpy would take a list of them for a table."""

    __slots__ = ("_color", "_rank")

    def __init__(self, color: int, rank: int) -> None:
        self._color, self._rank = color, rank

    def color(self) -> int:
        return self._color

    def rank(self) -> int:
        return self._rank

    def valid(self) -> bool:
        return self._color >= 0 and self._rank >= 0

    def to_dict(self) -> dict[str, Any]:
        return {"color": color_idx_to_char(self._color), "rank": self._rank}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HanabiCard):
            return NotImplemented
        return self._color == other._color and self._rank == other._rank

    def __hash__(self) -> int:
        return hash((self._color, self._rank))

    def __str__(self) -> str:
        return f"{COLOR_CHAR[self._color]}{self._rank + 1}" if self.valid() else "XX"

    __repr__ = __str__


HIDDEN_CARD = HanabiCard(-1, -1)


class HanabiCardKnowledge:
    """What the hints so far say about one card of a hand."""

    def __init__(self, word: int, ranks: int, colors: int) -> None:
        self._possible, self._ranks, self._colors = word & _POSSIBLE, ranks, colors
        lowest = (self._possible & -self._possible).bit_length() - 1
        self._color = lowest // ranks if word & _COLOR_TOLD else None
        self._rank = lowest % ranks if word & _RANK_TOLD else None

    def color(self) -> int | None:
        """The colour if a hint named it; nothing is deduced from other hints."""
        return self._color

    def rank(self) -> int | None:
        """The rank if a hint named it."""
        return self._rank

    def color_plausible(self, color_index: int) -> bool:
        """Do the hints leave this colour open?"""
        return bool(self._possible >> (color_index * self._ranks) & ((1 << self._ranks) - 1))

    def rank_plausible(self, rank_index: int) -> bool:
        """Do the hints leave this rank open?"""
        return any(self._possible >> (color * self._ranks + rank_index) & 1 for color in range(self._colors))

    def to_dict(self) -> dict[str, Any]:
        return {"color": None if self._color is None else COLOR_CHAR[self._color], "rank": self._rank}

    def __str__(self) -> str:
        color = "X" if self._color is None else COLOR_CHAR[self._color]
        rank = "X" if self._rank is None else str(self._rank + 1)
        colors = "".join(COLOR_CHAR[c] for c in range(self._colors) if self.color_plausible(c))
        ranks = "".join(str(r + 1) for r in range(self._ranks) if self.rank_plausible(r))
        return f"{color}{rank}|{colors}{ranks}"

    __repr__ = __str__


# One object per card word and game: a table shows the same few again and again.
knowledge_of = lru_cache(maxsize=4096)(HanabiCardKnowledge)


@lru_cache(maxsize=4096)
def card_of(word: int, ranks: int) -> HanabiCard:
    """The card a word stands for."""
    identity = word >> IDENTITY_SHIFT & HIDDEN
    return HanabiCard(*divmod(identity, ranks))
