"""One moment of a game, and how the next follows from it.

The game deals a new card within the move that makes room for it, the reference deals it afterwards, as a move of
chance. So a table counts the cards it has shown and hides those that the game has handed out already.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from coplay.adapters.pyhanabi.cards import HanabiCard, card_of
from coplay.adapters.pyhanabi.engine import Array, Outcome, begin, look, pack_plain, plain, turn
from coplay.adapters.pyhanabi.history import HanabiHistoryItem
from coplay.adapters.pyhanabi.moves import CHANCE_PLAYER_ID, HanabiMove, HanabiMoveType, moves
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.cards import COLOR_TOLD, RANK_TOLD


@dataclasses.dataclass(frozen=True, eq=False)
class Table:
    """What lies on the table; nothing here changes, so that an observation may keep it."""

    rules: Hanabi
    outcome: Outcome  # of the move before, with the card that replaced the one used
    board: Any  # the same position, a `State` of plain numbers instead of arrays
    dealt: int = 0  # cards shown so far
    discards: tuple[HanabiCard, ...] = ()
    history: tuple[HanabiHistoryItem, ...] = ()
    before: Table | None = None  # where the move was made that a card is awaited after; None for the first hands

    @property
    def awaits_card(self) -> bool:
        """Is a card to be dealt?"""
        return self.dealt < self.board.drawn

    @property
    def seat(self) -> int:
        """Who is to move: a seat, or chance."""
        return CHANCE_PLAYER_ID if self.awaits_card else self.board.seat

    @property
    def receiver(self) -> int:
        """The seat that gets the card awaited; the first hands are dealt one after the other."""
        return self.dealt // self.rules.hand_size if self.before is None else self.before.seat

    @property
    def undealt(self) -> tuple[int, ...]:
        """The cards left, as identities, in the order in which they come."""
        return self.board.deck[self.dealt :]

    @cached_property
    def hands(self) -> list[list[int]]:
        """Per seat the card words, oldest first."""
        hands = [[word for word in hand if word] for hand in self.board.hands]
        if self.awaits_card and self.before is not None:
            hands[self.receiver].pop()
        elif self.awaits_card:
            size = self.rules.hand_size
            hands = [hand[: max(0, self.dealt - seat * size)] for seat, hand in enumerate(hands)]
        return hands

    @cached_property
    def fireworks(self) -> list[int]:
        """Height of each stack, by colour."""
        ranks = self.rules.ranks
        column = (1 << ranks) - 1
        return [(self.board.played >> color * ranks & column).bit_count() for color in range(self.rules.colors)]

    @cached_property
    def legal(self) -> list[int]:
        """Ids of the moves of the seat to move; as in the reference, there still are some after the end."""
        return [] if self.awaits_card else np.flatnonzero(np.asarray(self.outcome.legal)).tolist()

    @cached_property
    def vectors(self) -> np.ndarray:
        """uint8 [players, bits]: every seat's observation."""
        if not self.awaits_card:
            return np.asarray(self.outcome.vectors)
        size = self.rules.hand_size
        hands = tuple((*hand, *[0] * (size - len(hand))) for hand in self.hands)
        shown = self.board._replace(hands=hands, drawn=self.dealt)
        return np.asarray(look(self.rules, pack_plain(shown)).vectors)


def first_table(rules: Hanabi, position: Array) -> Table:
    """A table at which all cards are still to be dealt."""
    return Table(rules, look(rules, position), plain(rules, position))


def with_card_dealt(table: Table) -> Table:
    """Shows the next card of the deck."""
    color, rank = divmod(table.board.deck[table.dealt], table.rules.ranks)
    item = HanabiHistoryItem(HanabiMove.get_deal_move(color, rank), CHANCE_PLAYER_ID, receiver=table.receiver)
    return dataclasses.replace(table, dealt=table.dealt + 1, history=(*table.history, item), before=None)


def with_undealt(table: Table, cards: Sequence[int]) -> Table:
    """The same moment, with the cards that nobody has seen in another order."""
    rules, board = table.rules, table.board
    deck = (*board.deck[: table.dealt], *cards)
    if table.before is not None:
        # The game has handed out the card awaited: the move is made again with the new deck.
        made = pack_plain(table.before.board._replace(deck=deck))
        outcome = turn(rules, made, board.last.action)
    elif table.awaits_card:
        pairs = np.stack(np.divmod(np.asarray(deck), rules.ranks), axis=1)
        outcome = look(rules, begin(rules, pairs, board.seat))
    else:
        outcome = table.outcome._replace(position=pack_plain(board._replace(deck=deck)))
    return dataclasses.replace(table, outcome=outcome, board=plain(rules, outcome.position))


def with_move(table: Table, action: int) -> Table:
    """The table after a legal move of the seat to move."""
    outcome = turn(table.rules, table.outcome.position, action)
    board = plain(table.rules, outcome.position)
    item = _record(table, moves(table.rules)[action], board)
    lost = item.card.valid() and not item.success
    return Table(
        rules=table.rules,
        outcome=outcome,
        board=board,
        dealt=table.dealt,
        discards=(*table.discards, item.card) if lost else table.discards,
        history=(*table.history, item),
        before=table if board.drawn > table.dealt else None,
    )


def _record(table: Table, move: HanabiMove, board: Any) -> HanabiHistoryItem:
    """The move with what it did, which the game does not keep beyond the next one."""
    actor, last = table.seat, board.last
    if move.kind in (HanabiMoveType.REVEAL_COLOR, HanabiMoveType.REVEAL_RANK):
        told = int(COLOR_TOLD if move.kind == HanabiMoveType.REVEAL_COLOR else RANK_TOLD)
        receiver = table.hands[(actor + move.offset) % table.rules.players]
        untold = sum(1 << slot for slot, word in enumerate(receiver) if not word & told)
        return HanabiHistoryItem(move, actor, touched=last.touched, newly_touched=last.touched & untold)
    card = card_of(table.hands[actor][move.slot], table.rules.ranks)
    token = bool(last.token) or move.kind == HanabiMoveType.DISCARD
    return HanabiHistoryItem(move, actor, bool(last.scored), token, card)
