"""Moves that were made, with what they did."""

from __future__ import annotations

import dataclasses

from coplay.adapters.pyhanabi.cards import HIDDEN_CARD, HanabiCard
from coplay.adapters.pyhanabi.moves import CHANCE_PLAYER_ID, HanabiMove


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class HanabiHistoryItem:
    """A move that was made, and what it did; seats are absolute in a state, relative in an observation."""

    made: HanabiMove
    seat: int  # CHANCE_PLAYER_ID for a deal
    success: bool = False
    token: bool = False
    card: HanabiCard = HIDDEN_CARD  # the card played or discarded
    touched: int = 0  # bit per slot
    newly_touched: int = 0
    receiver: int = -1  # of a deal

    def move(self) -> HanabiMove:
        return self.made

    def player(self) -> int:
        return self.seat

    def scored(self) -> bool:
        """A play that was added to a stack."""
        return self.success

    def information_token(self) -> bool:
        """A play or discard that returned a hint token."""
        return self.token

    def color(self) -> int:
        return self.card.color()

    def rank(self) -> int:
        return self.card.rank()

    def card_info_revealed(self) -> list[int]:
        """The slots a hint touched."""
        return _slots(self.touched)

    def card_info_newly_revealed(self) -> list[int]:
        """The slots a hint touched and about which nobody had said this before."""
        return _slots(self.newly_touched)

    def deal_to_player(self) -> int:
        return self.receiver

    def seen_by(self, observer: int, players: int, see_own: bool) -> HanabiHistoryItem:
        """The item with seats counted from the observer, whose own new cards stay hidden."""
        if self.seat == CHANCE_PLAYER_ID:
            receiver = (self.receiver - observer) % players
            made = self.made if receiver or see_own else HanabiMove(self.made.kind)
            return dataclasses.replace(self, made=made, receiver=receiver)
        return dataclasses.replace(self, seat=(self.seat - observer) % players)

    def __str__(self) -> str:
        words = [str(self.made)]
        if self.seat >= 0:
            words.append(f"by player {self.seat}")
        if self.success:
            words.append("scored")
        if self.token:
            words.append("info_token")
        if self.card.valid():
            words.append(str(self.card))
        if self.touched:
            words.append(f"reveal {','.join(map(str, _slots(self.touched)))}")
        return f"<{' '.join(words)}>"

    __repr__ = __str__


def _slots(bits: int) -> list[int]:
    return [slot for slot in range(8) if bits >> slot & 1]
