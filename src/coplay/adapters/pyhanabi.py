"""What `pyhanabi` shows of a Hanabi game, for code written for the Hanabi Learning Environment: read-only.

Class and method names, and what they return, are the reference's. Cards here are (colour, rank) from 0, seats in an
observation are relative to the observer, and the card words that all of it is read from are those of
`coplay.games.hanabi.cards`.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from coplay.games.game import GameError
from coplay.games.hanabi import Hanabi
from coplay.games.hanabi.cards import COLOR_TOLD, HIDDEN, IDENTITY_SHIFT, POSSIBLE, RANK_TOLD

COLOR_CHAR = ["R", "Y", "G", "W", "B"]
CHANCE_PLAYER_ID = -1

_POSSIBLE, _COLOR_TOLD, _RANK_TOLD = int(POSSIBLE), int(COLOR_TOLD), int(RANK_TOLD)


class HanabiMoveType(enum.IntEnum):
    """Kinds of moves."""

    INVALID = 0
    PLAY = 1
    DISCARD = 2
    REVEAL_COLOR = 3
    REVEAL_RANK = 4
    DEAL = 5


class HanabiEndOfGameType(enum.IntEnum):
    """Why a game ended."""

    NOT_FINISHED = 0
    OUT_OF_LIFE_TOKENS = 1
    OUT_OF_CARDS = 2
    COMPLETED_FIREWORKS = 3


class AgentObservationType(enum.IntEnum):
    """The reference's numbers for our `observation` setting."""

    MINIMAL = 0
    CARD_KNOWLEDGE = 1
    SEER = 2


def color_idx_to_char(color: int) -> str | None:
    """The colour's letter; None for -1, a colour nobody may know."""
    return None if color == -1 else COLOR_CHAR[color]


def color_char_to_idx(color: str) -> int:
    """The number of a colour's letter."""
    if color not in COLOR_CHAR:
        raise ValueError(f"color {color!r}: the colours are {', '.join(COLOR_CHAR)}.")
    return COLOR_CHAR.index(color)


class HanabiCard(NamedTuple):
    """A card; -1 for what the observer may not know."""

    hue: int
    value: int

    def color(self) -> int:
        return self.hue

    def rank(self) -> int:
        return self.value

    def valid(self) -> bool:
        return self.hue >= 0 and self.value >= 0

    def to_dict(self) -> dict[str, Any]:
        return {"color": color_idx_to_char(self.hue), "rank": self.value}

    def __str__(self) -> str:
        return f"{COLOR_CHAR[self.hue]}{self.value + 1}" if self.valid() else "XX"

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


class HanabiMove(NamedTuple):
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

    def to_dict(self) -> dict[str, Any]:
        kind = self.type()
        if kind in (HanabiMoveType.PLAY, HanabiMoveType.DISCARD):
            return {"action_type": kind.name, "card_index": self.slot}
        if kind == HanabiMoveType.REVEAL_COLOR:
            return {"action_type": kind.name, "target_offset": self.offset, "color": COLOR_CHAR[self.hue]}
        if kind == HanabiMoveType.REVEAL_RANK:
            return {"action_type": kind.name, "target_offset": self.offset, "rank": self.value}
        return {"action_type": kind.name, "color": color_idx_to_char(self.hue), "rank": self.value}

    def __str__(self) -> str:
        kind = self.type()
        if kind == HanabiMoveType.PLAY:
            return f"(Play {self.slot})"
        if kind == HanabiMoveType.DISCARD:
            return f"(Discard {self.slot})"
        if kind == HanabiMoveType.REVEAL_COLOR:
            return f"(Reveal player +{self.offset} color {COLOR_CHAR[self.hue]})"
        if kind == HanabiMoveType.REVEAL_RANK:
            return f"(Reveal player +{self.offset} rank {self.value + 1})"
        return f"(Deal {HanabiCard(self.hue, self.value)})"

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


class HanabiHistoryItem(NamedTuple):
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
            made = self.made if receiver or see_own else self.made._replace(hue=-1, value=-1)
            return self._replace(made=made, receiver=receiver)
        return self._replace(seat=(self.seat - observer) % players)

    def __str__(self) -> str:
        return f"<{self.made}{'' if self.seat < 0 else f' by player {self.seat}'}>"

    __repr__ = __str__


class HanabiGame:
    """The settings of a game."""

    def __init__(self, game: Hanabi) -> None:
        self.rules = game

    def num_players(self) -> int:
        return self.rules.players

    def num_colors(self) -> int:
        return self.rules.colors

    def num_ranks(self) -> int:
        return self.rules.ranks

    def hand_size(self) -> int:
        return self.rules.hand_size

    def max_information_tokens(self) -> int:
        return self.rules.info_tokens

    def max_life_tokens(self) -> int:
        return self.rules.life_tokens

    def observation_type(self) -> AgentObservationType:
        return AgentObservationType[self.rules.observation.upper()]

    def num_cards(self, color: int, rank: int) -> int:
        """Copies of a card in the deck."""
        return self.rules.copies[rank]

    def max_moves(self) -> int:
        return self.rules.num_actions

    def get_move(self, move_uid: int) -> HanabiMove:
        if not 0 <= move_uid < self.rules.num_actions:
            raise GameError(f"move {move_uid}: this game has moves 0 to {self.rules.num_actions - 1}.")
        return moves(self.rules)[move_uid]

    def get_move_uid(self, move: HanabiMove) -> int:
        return move_ids(self.rules).get(move, -1)


class HanabiState:
    """A position of the game, complete and read-only; `observation(seat)` is what a player may know of it."""

    def __init__(
        self,
        game: Hanabi,
        board: Any,  # a `coplay.games.hanabi.State` of plain numbers instead of arrays
        legal: list[int],
        discards: Sequence[HanabiCard],
        history: Sequence[HanabiHistoryItem],
    ) -> None:
        self.rules, self.board, self._legal = game, board, legal
        self._discards, self._history = discards, history
        self._hands = [[word for word in hand if word] for hand in board.hands]
        column = (1 << game.ranks) - 1
        self._fireworks = [(board.played >> color * game.ranks & column).bit_count() for color in range(game.colors)]

    def cur_player(self) -> int:
        return self.board.seat

    def num_players(self) -> int:
        return self.rules.players

    def information_tokens(self) -> int:
        return self.board.info

    def life_tokens(self) -> int:
        return self.board.lives

    def deck_size(self) -> int:
        return self.rules.num_cards - self.board.drawn

    def fireworks(self) -> list[int]:
        """Height of each stack, by colour."""
        return list(self._fireworks)

    def discard_pile(self) -> list[HanabiCard]:
        """In the order the cards were discarded."""
        return list(self._discards)

    def player_hands(self) -> list[list[HanabiCard]]:
        return [[card_of(word, self.rules.ranks) for word in hand] for hand in self._hands]

    def card_words(self, seat: int) -> Sequence[int]:
        """A hand as card words, oldest card first."""
        return self._hands[seat]

    def is_terminal(self) -> bool:
        return bool(self.board.done)

    def end_of_game_status(self) -> HanabiEndOfGameType:
        if not self.board.done:
            return HanabiEndOfGameType.NOT_FINISHED
        if self.board.lives == 0:
            return HanabiEndOfGameType.OUT_OF_LIFE_TOKENS
        if sum(self._fireworks) == self.rules.max_score:
            return HanabiEndOfGameType.COMPLETED_FIREWORKS
        return HanabiEndOfGameType.OUT_OF_CARDS

    def score(self) -> int:
        return sum(self._fireworks) if self.board.lives > 0 else 0

    def legal_moves(self) -> list[HanabiMove]:
        """Of the player to move; as in the reference, there still are some after the end."""
        table = moves(self.rules)
        return [table[action] for action in self._legal]

    def legal_moves_as_int(self) -> list[int]:
        return list(self._legal)

    def move_is_legal(self, move: HanabiMove) -> bool:
        return move_ids(self.rules).get(move, -1) in self._legal

    def card_playable_on_fireworks(self, color: int, rank: int) -> bool:
        return self._fireworks[color] == rank

    def move_history(self) -> list[HanabiHistoryItem]:
        """From the first move on; the deal of the first hands is not part of it."""
        return list(self._history)

    def observation(self, player: int) -> HanabiObservation:
        return HanabiObservation(self, player)


class HanabiObservation:
    """What one player may know of a state, seats counted from that player."""

    def __init__(self, state: HanabiState, player: int) -> None:
        self._state, self._player = state, player
        self._order = [(player + offset) % state.num_players() for offset in range(state.num_players())]
        self.information_tokens = state.information_tokens
        self.life_tokens = state.life_tokens
        self.deck_size = state.deck_size
        self.fireworks = state.fireworks
        self.discard_pile = state.discard_pile
        self.num_players = state.num_players
        self.card_playable_on_fireworks = state.card_playable_on_fireworks

    def cur_player_offset(self) -> int:
        return (self._state.cur_player() - self._player) % self._state.num_players()

    def observed_hands(self) -> list[list[HanabiCard]]:
        """All hands, oldest card first; the observer's own cards are hidden."""
        state = self._state
        ranks, see_own = state.rules.ranks, state.rules.observation == "seer"
        return [
            [card_of(word, ranks) if offset or see_own else HIDDEN_CARD for word in state.card_words(seat)]
            for offset, seat in enumerate(self._order)
        ]

    def card_knowledge(self) -> list[list[HanabiCardKnowledge]]:
        """What hints have said about each card of each hand; nothing in a game with minimal observations."""
        rules = self._state.rules
        forgotten = rules.observation == "minimal"
        return [
            [
                knowledge_of(rules.all_identities if forgotten else word, rules.ranks, rules.colors)
                for word in self._state.card_words(seat)
            ]
            for seat in self._order
        ]

    def last_moves(self) -> list[HanabiHistoryItem]:
        """From the latest back to the observer's own last move, deals included."""
        recent = []
        rules = self._state.rules
        for item in reversed(self._state.move_history()):
            recent.append(item.seen_by(self._player, rules.players, rules.observation == "seer"))
            if item.player() == self._player:
                break
        return recent

    def legal_moves(self) -> list[HanabiMove]:
        """Empty unless the observer is to move."""
        return self._state.legal_moves() if self.cur_player_offset() == 0 else []


# One object per card word and game: a table shows the same few again and again.
knowledge_of = lru_cache(maxsize=4096)(HanabiCardKnowledge)


@lru_cache(maxsize=4096)
def card_of(word: int, ranks: int) -> HanabiCard:
    """The card a word stands for."""
    identity = word >> IDENTITY_SHIFT & HIDDEN
    return HanabiCard(*divmod(identity, ranks))


def _slots(bits: int) -> list[int]:
    return [slot for slot in range(8) if bits >> slot & 1]
