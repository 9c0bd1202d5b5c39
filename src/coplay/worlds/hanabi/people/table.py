"""A view or a state as plain Python values: what words and pictures are made from."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np

from coplay.worlds.hanabi import actions, cards
from coplay.worlds.hanabi.actions import Action

if TYPE_CHECKING:
    from coplay.worlds.hanabi.rules import State
    from coplay.worlds.hanabi.settings import Hanabi
    from coplay.worlds.hanabi.view import View


@dataclasses.dataclass(frozen=True)
class Card:
    """A card in a hand: its face, if the reader may see it, and what hints told its owner."""

    face: int | None  # colour * ranks + rank; None where it is hidden
    colors: tuple[int, ...]  # still possible after the hints on it
    ranks: tuple[int, ...]
    color_told: bool  # a hint named it
    rank_told: bool


@dataclasses.dataclass(frozen=True)
class LastMove:
    """The latest move as everybody saw it."""

    action: Action
    actor: int  # position at the table
    target: int | None  # position of the hinted player
    touched: tuple[int, ...]  # slots of the hinted hand
    face: int  # of the card played or discarded; -1 for a hint
    scored: bool
    token: bool  # a hint token came back


@dataclasses.dataclass(frozen=True)
class Table:
    """Everything on the table. Positions count from the reader, who sits at 0."""

    game: Hanabi
    seat: int  # the reader's seat
    open: bool  # every hand is shown, the reader's own too
    hands: tuple[tuple[Card | None, ...], ...]  # [position][slot], oldest card first; None for an empty slot
    stacks: tuple[int, ...]  # height per colour
    discards: tuple[tuple[int, ...], ...]  # copies discarded, [colour][rank]
    info: int
    lives: int
    deck: int
    score: int
    to_move: int  # position
    turns_left: int | None  # moves left in the last round; None before it
    done: bool
    last: LastMove | None
    legal: tuple[int, ...]  # actions of the reader

    def seat_of(self, position: int) -> int:
        """The seat number of a position."""
        return (self.seat + position) % self.game.players


def read_view(view: View) -> Table:
    """The table as the view's seat sees it; the leaves of the view may be JAX or numpy arrays."""
    legal = tuple(int(action) for action in np.flatnonzero(np.asarray(view.legal)))
    return _read(view, open=False, legal=legal)


def read_state(game: Hanabi, state: State, seat: int = 0) -> Table:
    """The table with all hands open, seen from `seat`; it is read by nobody at the table, so no move is legal."""
    view = game.view(state, seat)
    opened = dataclasses.replace(view, hand_words=(state.hands[seat], *view.hand_words[1:]))
    return _read(opened, open=True, legal=())


def _read(view: View, *, open: bool, legal: tuple[int, ...]) -> Table:
    game = view.game
    hands = tuple(tuple(_card(game, _int(word)) for word in hand) for hand in view.hand_words)
    deck = _int(view.deck_size)
    played = _int(view.played)
    piles = [_int(pile) for pile in view.discard_words]
    return Table(
        game=game,
        seat=_int(view.seat),
        open=open,
        hands=hands,
        stacks=tuple((played >> (c * game.ranks) & ((1 << game.ranks) - 1)).bit_count() for c in range(game.colors)),
        discards=tuple(tuple((pile & mask).bit_count() for mask in game.copy_masks) for pile in piles),
        info=_int(view.info),
        lives=_int(view.lives),
        deck=deck,
        score=_int(view.score),
        to_move=_int(view.to_move),
        turns_left=_int(view.turns_left) if deck == 0 else None,
        done=bool(np.asarray(view.done)),
        last=_last(view),
        legal=legal,
    )


def _int(value: Any) -> int:
    return int(np.asarray(value))


def _card(game: Hanabi, word: int) -> Card | None:
    """A card word (cards.py) in plain values."""
    if word == 0:
        return None
    face = word >> cards.IDENTITY_SHIFT & cards.HIDDEN
    left = int(cards.possible(game, np.uint32(word)))  # pyright: ignore[reportArgumentType]
    possible = [i for i in range(game.num_identities) if left >> i & 1]
    return Card(
        face=None if face == cards.HIDDEN else face,
        colors=tuple(sorted({i // game.ranks for i in possible})),
        ranks=tuple(sorted({i % game.ranks for i in possible})),
        color_told=bool(word & int(cards.COLOR_TOLD)),
        rank_told=bool(word & int(cards.RANK_TOLD)),
    )


def _last(view: View) -> LastMove | None:
    game, last = view.game, view.last
    if _int(last.action) < 0:
        return None
    action, actor, touched = actions.split(game, _int(last.action)), _int(last.actor), _int(last.touched)
    hint = action.kind in ("color", "rank")
    return LastMove(
        action=action,
        actor=actor,
        target=(actor + action.offset) % game.players if hint else None,
        touched=tuple(slot for slot in range(game.hand_size) if touched >> slot & 1),
        face=-1 if hint else _int(last.card),
        scored=bool(np.asarray(last.scored)),
        token=bool(np.asarray(last.token)) or action.kind == "discard",
    )
