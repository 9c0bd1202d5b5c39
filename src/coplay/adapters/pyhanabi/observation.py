"""What one player may know of a state."""

from __future__ import annotations

from itertools import islice

from coplay.adapters.pyhanabi.cards import (
    COLOR_CHAR,
    HIDDEN_CARD,
    HanabiCard,
    HanabiCardKnowledge,
    card_of,
    knowledge_of,
)
from coplay.adapters.pyhanabi.history import HanabiHistoryItem
from coplay.adapters.pyhanabi.moves import HanabiMove, moves
from coplay.adapters.pyhanabi.table import Table


class Reading:
    """What everybody can read from a table, whoever they are."""

    _table: Table

    def num_players(self) -> int:
        return self._table.rules.players

    def information_tokens(self) -> int:
        return self._table.board.info

    def life_tokens(self) -> int:
        return self._table.board.lives

    def deck_size(self) -> int:
        return self._table.rules.num_cards - self._table.dealt

    def fireworks(self) -> list[int]:
        """Height of each stack, by colour."""
        return list(self._table.fireworks)

    def discard_pile(self) -> list[HanabiCard]:
        """In the order the cards were discarded."""
        return list(self._table.discards)

    def card_playable_on_fireworks(self, color: int, rank: int) -> bool:
        heights = self._table.fireworks
        return 0 <= color < len(heights) and heights[color] == rank

    def _text(self, to_move: int, hands: list[list[HanabiCard]], knowledge: list[list[HanabiCardKnowledge]]) -> str:
        """The table in the reference's lines."""
        stacks = "".join(f"{COLOR_CHAR[color]}{height} " for color, height in enumerate(self._table.fireworks))
        lines = [f"Life tokens: {self.life_tokens()}", f"Info tokens: {self.information_tokens()}"]
        lines += [f"Fireworks: {stacks}", "Hands:"]
        for seat, hand in enumerate(hands):
            lines += ["-----"] * (seat > 0) + ["Cur player"] * (seat == to_move)
            lines += [f"{card} || {told}" for card, told in zip(hand, knowledge[seat], strict=True)]
        pile = "".join(f" {card}" for card in self._table.discards)
        return "\n".join([*lines, f"Deck size: {self.deck_size()}", f"Discards:{pile}"])


class HanabiObservation(Reading):
    """What one player may know of a state, seats counted from that player; it stays as it was made."""

    def __init__(self, table: Table, player: int) -> None:
        self._table, self._player = table, player
        players = table.rules.players
        self._order = [(player + offset) % players for offset in range(players)]

    def cur_player_offset(self) -> int:
        """-1 while a card is to be dealt."""
        seat = self._table.seat
        return seat if seat < 0 else (seat - self._player) % self.num_players()

    def observed_hands(self) -> list[list[HanabiCard]]:
        """All hands, oldest card first; the observer's own cards are hidden."""
        rules = self._table.rules
        return [
            [
                card_of(word, rules.ranks) if offset or self._sees_own else HIDDEN_CARD
                for word in self._table.hands[seat]
            ]
            for offset, seat in enumerate(self._order)
        ]

    def card_knowledge(self) -> list[list[HanabiCardKnowledge]]:
        """What hints have said about each card of each hand; nothing in a game with minimal observations."""
        rules = self._table.rules
        forgotten = rules.observation == "minimal"
        return [
            [
                knowledge_of(rules.all_identities if forgotten else word, rules.ranks, rules.colors)
                for word in self._table.hands[seat]
            ]
            for seat in self._order
        ]

    def last_moves(self) -> list[HanabiHistoryItem]:
        """From the latest back to the observer's own last move, deals included but those of the first hands."""
        table, recent = self._table, []
        players, first_hands = self.num_players(), table.rules.players * table.rules.hand_size
        for item in islice(reversed(table.history), max(0, len(table.history) - first_hands)):
            recent.append(item.seen_by(self._player, players, self._sees_own))
            if item.player() == self._player:
                break
        return recent

    def legal_moves(self) -> list[HanabiMove]:
        """Empty unless the observer is to move."""
        if self.cur_player_offset() != 0:
            return []
        named = moves(self._table.rules)
        return [named[action] for action in self._table.legal]

    def bits(self) -> list[int]:
        """The reference's vector; `ObservationEncoder.encode` gives it too."""
        return self._table.vectors[self._player].tolist()

    @property
    def _sees_own(self) -> bool:
        return self._table.rules.observation == "seer"

    def __str__(self) -> str:
        return self._text(self.cur_player_offset(), self.observed_hands(), self.card_knowledge())

    __repr__ = __str__
