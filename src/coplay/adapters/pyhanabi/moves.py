"""Moves of players and of chance, and their numbers."""

from __future__ import annotations

import dataclasses
import enum
from functools import lru_cache
from typing import Any

from coplay.adapters.pyhanabi.cards import COLOR_CHAR, HanabiCard, color_idx_to_char
from coplay.worlds.hanabi import Hanabi

CHANCE_PLAYER_ID = -1


class HanabiMoveType(enum.IntEnum):
    """Kinds of moves."""

    INVALID = 0
    PLAY = 1
    DISCARD = 2
    REVEAL_COLOR = 3
    REVEAL_RANK = 4
    DEAL = 5


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class HanabiMove:
    """A player's move, or a card dealt; -1 in the fields its kind does not use."""

    kind: HanabiMoveType
    slot: int = -1
    offset: int = -1
    hue: int = -1
    value: int = -1

    def type(self) -> HanabiMoveType:
        return self.kind

    def card_index(self) -> int:
        """The slot of a play or discard."""
        return self.slot

    def target_offset(self) -> int:
        """The receiver of a hint, counted from the player who moves."""
        return self.offset

    def color(self) -> int:
        """The colour hinted or dealt."""
        return self.hue

    def rank(self) -> int:
        """The rank hinted or dealt."""
        return self.value

    @staticmethod
    def get_play_move(card_index: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.PLAY, slot=card_index)

    @staticmethod
    def get_discard_move(card_index: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.DISCARD, slot=card_index)

    @staticmethod
    def get_reveal_color_move(target_offset: int, color: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.REVEAL_COLOR, offset=target_offset, hue=color)

    @staticmethod
    def get_reveal_rank_move(target_offset: int, rank: int) -> HanabiMove:
        return HanabiMove(HanabiMoveType.REVEAL_RANK, offset=target_offset, value=rank)

    @staticmethod
    def get_deal_move(color: int, rank: int) -> HanabiMove:
        """Deals a chosen card; the reference's Python has no call for it."""
        return HanabiMove(HanabiMoveType.DEAL, hue=color, value=rank)

    def to_dict(self) -> dict[str, Any]:
        kind = self.kind
        if kind in (HanabiMoveType.PLAY, HanabiMoveType.DISCARD):
            return {"action_type": kind.name, "card_index": self.slot}
        if kind == HanabiMoveType.REVEAL_COLOR:
            return {"action_type": kind.name, "target_offset": self.offset, "color": COLOR_CHAR[self.hue]}
        if kind == HanabiMoveType.REVEAL_RANK:
            return {"action_type": kind.name, "target_offset": self.offset, "rank": self.value}
        if kind == HanabiMoveType.DEAL:
            return {"action_type": kind.name, "color": color_idx_to_char(self.hue), "rank": self.value}
        raise ValueError(f"{self} is no move that a dictionary can tell.")

    def __str__(self) -> str:
        kind = self.kind
        if kind == HanabiMoveType.PLAY:
            return f"(Play {self.slot})"
        if kind == HanabiMoveType.DISCARD:
            return f"(Discard {self.slot})"
        if kind == HanabiMoveType.REVEAL_COLOR:
            return f"(Reveal player +{self.offset} color {COLOR_CHAR[self.hue]})"
        if kind == HanabiMoveType.REVEAL_RANK:
            return f"(Reveal player +{self.offset} rank {self.value + 1})"
        if kind == HanabiMoveType.DEAL:
            return f"(Deal {HanabiCard(self.hue, self.value)})"
        return "(INVALID)"

    __repr__ = __str__


@lru_cache
def moves(game: Hanabi) -> tuple[HanabiMove, ...]:
    """Every move of the game, by action id."""
    others = range(1, game.players)
    return (
        *(HanabiMove.get_discard_move(slot) for slot in range(game.hand_size)),
        *(HanabiMove.get_play_move(slot) for slot in range(game.hand_size)),
        *(HanabiMove.get_reveal_color_move(k, color) for k in others for color in range(game.colors)),
        *(HanabiMove.get_reveal_rank_move(k, rank) for k in others for rank in range(game.ranks)),
    )


@lru_cache
def move_ids(game: Hanabi) -> dict[HanabiMove, int]:
    """The action id of every move of the game."""
    return {move: action for action, move in enumerate(moves(game))}
