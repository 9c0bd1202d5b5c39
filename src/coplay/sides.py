"""Games of two sides, which play against each other: who sits where, and whose numbers are whose.

A game says `sides = 2`. Its seats then belong to the sides in turn: 0, 2, 4, … to the first, 1, 3, 5, … to the second,
so that seen from any seat those at even distances are mates and those at odd distances opponents. Its rewards and its
score are the first side's; the second side's are the same with the other sign. All other games have one side.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

One = TypeVar("One")


def sides_of(game: Any) -> int:
    """1, or 2 where two teams play against each other."""
    return getattr(game, "sides", 1)


def per_side(game: Any) -> int:
    """How many seats a team takes."""
    return game.players // sides_of(game)


def sign_of(game: Any, seat: Any) -> Any:
    """1 where rewards and score count for this seat as the game gives them, -1 where with the other sign."""
    return 1 - 2 * (seat % 2) if sides_of(game) == 2 else seat * 0 + 1


def signs(game: Any) -> np.ndarray:
    """float32 [players]: `sign_of` every seat."""
    return np.asarray(sign_of(game, np.arange(game.players)), np.float32)


def line_up(*teams: Sequence[One]) -> list[One]:
    """Two teams in the order of the seats; one team as it is."""
    return [member for row in zip(*teams, strict=True) for member in row]
