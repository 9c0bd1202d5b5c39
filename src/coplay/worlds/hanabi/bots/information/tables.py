"""What everybody knows about a card: a set of identities, each weighing as much as there are copies left.

A copy is left while it is neither played nor discarded; cards merely seen in hands count as left, because their owners
cannot count them. So the weights are common to all cards, and one word per card is all there is to remember.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi.bots.identity_sets import dead_cards, gone_copies, is_single, pack, playable_cards, surely
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


class Left(NamedTuple):
    """Numbers of copies in unary: the identities with at least one, two and three left."""

    one: Array
    two: Array
    three: Array


class Board(NamedTuple):
    """The cards on the table, as sets of identities."""

    playable: Array  # would score now
    dead: Array  # can never score any more
    left: Left  # copies neither played nor discarded


def board_now(view: View) -> Board:
    """The board everybody sees."""
    return _board(view, gone_copies(view))


def board_before_discard(view: View, discard: Array) -> Board:
    """The board before the latest move if that was a discard, else the board now."""
    card = (np.arange(view.game.num_identities) == view.last.card) & discard
    return _board(view, gone_copies(view) - card)


def _board(view: View, gone: Array) -> Board:
    return Board(playable_cards(view), dead_cards(view, gone), copies_left(view.game, gone))


def copies_left(game: Hanabi, gone: Array) -> Left:
    """The copies that are not among the `gone`, int32 [identities]."""
    left = jnp.asarray(np.tile(game.copies, game.colors)) - gone
    return Left(pack(left >= 1), pack(left >= 2), pack(left >= 3))


def weigh(left: Left, tables: Array) -> Array:
    """int32: the weight of sets of identities."""
    return sum((jax.lax.population_count(tables & layer) for layer in left), word(0)).astype(jnp.int32)


def share(left: Left, tables: Array, those: Array) -> Array:
    """float32: the probability that a card is one of `those`; 0 for an empty table.

    The quotient of two whole numbers, as the original computes it in 32 bits.
    """
    total = jnp.maximum(weigh(left, tables), 1).astype(jnp.float32)
    return weigh(left, tables & those).astype(jnp.float32) / total


def useless(board: Board, hand: Array) -> Array:
    """bool [hand]: surely dead, or known exactly and twice in this hand."""
    known = jnp.where(is_single(hand), hand, word(0))
    alike = (known[:, None] == known[None, :]) & (known != 0)
    return surely(hand, board.dead) | (alike.sum(1) > 1)
