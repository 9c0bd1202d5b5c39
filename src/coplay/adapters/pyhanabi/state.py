"""A game that can be played, move by move and card by card."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from coplay.adapters.pyhanabi.cards import HanabiCard, card_of, knowledge_of
from coplay.adapters.pyhanabi.history import HanabiHistoryItem
from coplay.adapters.pyhanabi.moves import HanabiMove, HanabiMoveType, move_ids, moves
from coplay.adapters.pyhanabi.observation import HanabiObservation, Reading
from coplay.adapters.pyhanabi.table import Table, with_card_dealt, with_move, with_undealt
from coplay.game import GameError

if TYPE_CHECKING:
    from coplay.adapters.pyhanabi.game import HanabiGame


class HanabiEndOfGameType(enum.IntEnum):
    """Why a game ended."""

    NOT_FINISHED = 0
    OUT_OF_LIFE_TOKENS = 1
    OUT_OF_CARDS = 2
    COMPLETED_FIREWORKS = 3


class HanabiState(Reading):
    """A position of the game, complete; `observation(seat)` is what a player may know of it."""

    def __init__(self, game: HanabiGame, table: Table | None = None) -> None:
        self._game = game
        self._table = game.next_table() if table is None else table
        self._copied = False

    def copy(self) -> HanabiState:
        """The same position, to be played on by itself. It draws its own order of the cards nobody has seen: with that
        of the original, a search among copies would look into the deck."""
        twin = HanabiState(self._game, self._table)
        twin._copied = True
        return twin

    def cur_player(self) -> int:
        """The seat to move; CHANCE_PLAYER_ID while a card is to be dealt."""
        return self._table.seat

    def deal_random_card(self) -> None:
        """Deals the next card; only while cur_player() is CHANCE_PLAYER_ID."""
        if not self._table.awaits_card:
            raise GameError(f"no card is to be dealt; player {self.cur_player()} is to move.")
        self._draw_own_order()
        self._table = with_card_dealt(self._table)

    def apply_move(self, move: HanabiMove) -> None:
        """Makes a move of the player to move, or deals the card that a DEAL move names."""
        if move.kind == HanabiMoveType.DEAL:
            self._deal(move)
            return
        if self.is_terminal():
            raise GameError(f"{move}: this game is over; game.new_initial_state() begins another.")
        if not self.move_is_legal(move):
            raise GameError(f"illegal move {move}; {self.choices()}")
        self._draw_own_order()
        self._table = with_move(self._table, move_ids(self._table.rules)[move])

    def player_hands(self) -> list[list[HanabiCard]]:
        """All hands by seat, oldest card first."""
        return [[card_of(word, self._table.rules.ranks) for word in hand] for hand in self._table.hands]

    def is_terminal(self) -> bool:
        return bool(self._table.board.done)

    def end_of_game_status(self) -> HanabiEndOfGameType:
        if not self.is_terminal():
            return HanabiEndOfGameType.NOT_FINISHED
        if self.life_tokens() == 0:
            return HanabiEndOfGameType.OUT_OF_LIFE_TOKENS
        if sum(self._table.fireworks) == self._table.rules.max_score:
            return HanabiEndOfGameType.COMPLETED_FIREWORKS
        return HanabiEndOfGameType.OUT_OF_CARDS

    def score(self) -> int:
        return sum(self._table.fireworks) if self.life_tokens() > 0 else 0

    def legal_moves(self) -> list[HanabiMove]:
        """Of the player to move: none while a card is to be dealt; as in the reference, there still are some after the
        end."""
        named = moves(self._table.rules)
        return [named[action] for action in self._table.legal]

    def legal_moves_as_int(self) -> list[int]:
        return list(self._table.legal)

    def move_is_legal(self, move: HanabiMove) -> bool:
        if move.kind == HanabiMoveType.DEAL:
            return self._table.awaits_card and self._identity(move) in self._table.undealt
        return move_ids(self._table.rules).get(move, -1) in self._table.legal

    def choices(self) -> str:
        """Who may do what, for messages."""
        if self._table.awaits_card:
            return "a card is to be dealt first: call deal_random_card()."
        named = ", ".join(
            f"{action} {move}" for action, move in zip(self._table.legal, self.legal_moves(), strict=True)
        )
        return f"player {self.cur_player()} may choose from {named}."

    def move_history(self) -> list[HanabiHistoryItem]:
        """All moves, oldest first, deals included."""
        return list(self._table.history)

    def observation(self, player: int) -> HanabiObservation:
        if not 0 <= player < self.num_players():
            raise GameError(f"player {player}: this game has players 0 to {self.num_players() - 1}.")
        return HanabiObservation(self._table, player)

    def _deal(self, move: HanabiMove) -> None:
        """Deals a chosen card: it changes places with the one that would have come."""
        if not self._table.awaits_card:
            raise GameError(f"illegal move {move}: no card is to be dealt; {self.choices()}")
        coming, identity = list(self._table.undealt), self._identity(move)
        if identity not in coming:
            raise GameError(f"illegal move {move}: no such card is left in the deck.")
        if coming[0] != identity:
            there = coming.index(identity)
            coming[0], coming[there] = coming[there], coming[0]
            self._table = with_undealt(self._table, coming)
        self._table = with_card_dealt(self._table)

    def _identity(self, move: HanabiMove) -> int:
        """The card of a DEAL move; -1 for one that this game does not have."""
        rules = self._table.rules
        known = 0 <= move.hue < rules.colors and 0 <= move.value < rules.ranks
        return move.hue * rules.ranks + move.value if known else -1

    def _draw_own_order(self) -> None:
        if self._copied:
            self._copied = False
            self._table = with_undealt(self._table, self._game.shuffled(self._table.undealt))

    def __str__(self) -> str:
        rules = self._table.rules
        told = [[knowledge_of(word, rules.ranks, rules.colors) for word in hand] for hand in self._table.hands]
        return self._text(self.cur_player(), self.player_hands(), told)

    __repr__ = __str__
