"""What follows what: P(next action | last action), as in appendix A.2 of the Hanabi challenge.

Rows are the last move of the table, columns the move after it, by the next player. Slots count from the oldest card, 1.
With more than two players a hint counts whomever it was given to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.rates.moves import KINDS, Moves


class ActionTable(NamedTuple):
    """Counted pairs of moves."""

    labels: tuple[str, ...]
    pairs: np.ndarray  # int64 [last, next]
    moves: np.ndarray  # int64 [labels]: all moves, first ones included

    @property
    def given(self) -> np.ndarray:
        """float [last, next]: P(next | last), rows add up to 1; NaN where the last move never happened."""
        totals = self.pairs.sum(1, keepdims=True)
        return np.divide(self.pairs, totals, out=np.full(self.pairs.shape, np.nan), where=totals > 0)

    @property
    def overall(self) -> np.ndarray:
        """float [labels]: P(next)."""
        return self.moves / max(int(self.moves.sum()), 1)


def labels_of(game: Hanabi) -> tuple[str, ...]:
    """Moves in the order of the paper's tables."""
    slots = range(1, game.hand_size + 1)
    return (
        *(f"discard {slot}" for slot in slots),
        *(f"play {slot}" for slot in slots),
        *(f"hint {suit.letter}" for suit in game.suits[: game.hint_colors]),
        *(f"hint {rank + 1}" for rank in range(game.ranks)),
    )


def action_table(game: Hanabi, moves: Moves, seats: Iterable[int] | None = None) -> ActionTable:
    """Counts pairs; `seats`: only where one of these moved second."""
    return _count(labels_of(game), moves.of(game).astype(int), moves, seats)


def kind_table(moves: Moves, seats: Iterable[int] | None = None) -> ActionTable:
    """The same for the four kinds of moves."""
    return _count(KINDS, moves.kind.astype(int), moves, seats)


def _count(labels: tuple[str, ...], ids: np.ndarray, moves: Moves, seats: Iterable[int] | None) -> ActionTable:
    mine = moves.made if seats is None else moves.made & np.isin(moves.seat, list(seats))
    size = len(labels)
    later = mine[:, 1:]  # games have no holes, so the move before one that was made was made too
    pairs = np.bincount((ids[:, :-1] * size + ids[:, 1:])[later], minlength=size * size).reshape(size, size)
    return ActionTable(labels, pairs, np.bincount(ids[mine], minlength=size))
