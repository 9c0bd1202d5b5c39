"""A number as a hint.

Every possible receiver offers three or four numbers: a rank hint (0) or colour hint (1) that touches his reference
card, and one that does not touch it (2), or, if everybody knows that his hand has two colours and two ranks at least,
a rank hint (2) or colour hint (3) that does not. The receivers' numbers follow each other in seat order after the
hinter. Where several hints say the same, the one that by itself narrows the hand most is given.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi.bots.identity_sets import hint_sets, is_single, known_color, known_rank, surely
from coplay.worlds.hanabi.bots.information.tables import Board, weigh
from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array

# Hints by index: colours 0-4, ranks 5-9.
IS_RANK = np.arange(10) >= 5


def numbers_offered(game: Hanabi, tables: Array) -> Array:
    """int32 [players]: 4 where nobody doubts two colours and two ranks in the hand, else 3."""
    open_for_card = ((tables[..., None] & hint_sets(game)) != 0) | (tables == 0)[..., None]
    return jnp.where(open_for_card.all(1).any(1), 3, 4)


def reference_slot(game: Hanabi, board: Board, tables: Array) -> Array:
    """int32 [players]: the card about which most is open, the oldest of these."""
    doubts = 1 + ~known_color(game, tables) + (known_rank(game, tables) < 0)
    settled = surely(tables, board.dead) | is_single(tables)
    return jnp.argmax(jnp.where(tables == 0, -1, jnp.where(settled, 0, doubts)), axis=1)


def hint_number(offered: Array, rank_hint: Array | np.ndarray, touches_reference: Array) -> Array:
    """The number a hint stands for among those its receiver offers."""
    untouched = jnp.where(rank_hint | (offered == 3), 2, 3)
    return jnp.where(touches_reference, jnp.where(rank_hint, 0, 1), untouched)


def best_hint(
    game: Hanabi, board: Board, hand: Array, cards: Array, slot: Array, offered: Array, number: Array
) -> tuple[Array, Array]:
    """The best hint for a hand with this number: int32 index, colours 0-4 and ranks 5-9, and whether there is one.

    `hand` [h] are its tables, `cards` [h] what it holds, `slot` its reference card.
    """
    sets = hint_sets(game)[:, None]
    touched = (cards & sets) != 0
    suits = hint_number(offered, IS_RANK, touched[:, slot]) == number
    suits &= touched.any(1)
    gain = jnp.where(suits, _gain(board, hand, touched, sets), -1)
    # Among equals the first if one goes through the cards from the oldest, colour before rank.
    order = 2 * jnp.argmax(touched, axis=1) + IS_RANK
    best = jnp.argmin(jnp.where(gain == gain.max(), order, 100))
    return best.astype(jnp.int32), suits.any()


def _gain(board: Board, hand: Array, touched: Array, sets: np.ndarray) -> Array:
    """float32 [10]: by how much each hint by itself shrinks the tables; settling a card counts twice."""
    after = jnp.where(touched, hand & sets, hand & ~sets)
    shrunk = weigh(board.left, hand).astype(jnp.float32) / jnp.maximum(weigh(board.left, after), 1).astype(jnp.float32)
    settles = is_single(after) | surely(after, board.dead)
    counts = (hand != 0) & ~is_single(hand) & ~surely(hand, board.dead)
    factor = jnp.where(counts, jnp.where(settles, 2, 1) * shrunk, 1)
    gain = factor[:, 0]
    for slot in range(1, hand.shape[0]):  # in this order, for the rounding of the original
        gain = gain * factor[:, slot]
    return gain
