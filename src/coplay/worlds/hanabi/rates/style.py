"""A style of playing Hanabi in sixteen rates, each between 0 and 1.

Communicativeness and information per play are defined as by Canaan et al. 2020 ("Generating and Adapting to Diverse
Ad-Hoc Partners in Hanabi"): hints among the turns that began with a hint token; and, over all plays, half the number of
attributes (colour, rank) of the played card that its holder knew from hints, negative ones included, conventions and
card counting not. Turns of all seats are pooled before dividing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

from coplay.measure.behaviour.rates import rate
from coplay.measure.stats import Estimate
from coplay.worlds.hanabi import Hanabi
from coplay.worlds.hanabi.rates.moves import COLOR, DISCARD, PLAY, RANK, Moves

Counts = tuple[np.ndarray, np.ndarray]  # what happened, and how often it could have; both [games, turns]


class Rate(NamedTuple):
    """A rate of a style: a name, what it says, and how it is counted."""

    name: str
    says: str
    tally: Callable[[Hanabi, Moves], Counts]


def _plays(moves: Moves) -> np.ndarray:
    return moves.kind == PLAY


def _discards(moves: Moves) -> np.ndarray:
    return moves.kind == DISCARD


def _hints(moves: Moves) -> np.ndarray:
    return (moves.kind == COLOR) | (moves.kind == RANK)


def _informed(game: Hanabi, moves: Moves) -> Counts:
    del game
    return (moves.color_known + moves.rank_known.astype(float)) / 2, _plays(moves)


def _touched(game: Hanabi, moves: Moves) -> Counts:
    return moves.touched / game.hand_size, _hints(moves)


RATES = (
    Rate("communicativeness", "hints, of turns with a hint token", lambda g, m: (_hints(m), m.tokens > 0)),
    Rate("information per play", "colour and rank known from hints, of cards played", _informed),
    Rate("plays", "of all turns", lambda g, m: (_plays(m), m.made)),
    Rate("discards", "of all turns", lambda g, m: (_discards(m), m.made)),
    Rate("misplays", "of plays", lambda g, m: (m.misplayed, _plays(m))),
    Rate("blind plays", "cards no hint touched, of plays", lambda g, m: (~m.told, _plays(m))),
    Rate("newest card played", "of plays", lambda g, m: (m.slot == m.held - 1, _plays(m))),
    Rate("oldest card discarded", "of discards", lambda g, m: (m.slot == 0, _discards(m))),
    Rate("hinted card discarded", "of discards", lambda g, m: (m.told, _discards(m))),
    Rate("colour hints", "of hints", lambda g, m: (m.kind == COLOR, _hints(m))),
    Rate("cards per hint", "share of the hand that a hint touches", _touched),
    Rate("new cards hinted", "hints that touch a card for the first time", lambda g, m: (m.fresh, _hints(m))),
    Rate("hints to the next player", "of hints", lambda g, m: (m.target == 1, _hints(m))),
    Rate("plays after a hint", "of turns after being given a hint", lambda g, m: (_plays(m), m.heard)),
    Rate("plays a hinted card", "of turns after being given a hint", lambda g, m: (_plays(m) & m.follows, m.heard)),
    Rate("plays the newest hinted", "of those plays", lambda g, m: (m.follows_newest, _plays(m) & m.follows)),
)


def style(game: Hanabi, moves: Moves, seats: Iterable[int] | None = None) -> dict[str, Estimate]:
    """Every rate with its interval; games are drawn anew. `seats`: only these, by default all.

    NaN where there was no occasion: information per play of somebody who never played a card.
    """
    mine = moves.made if seats is None else moves.made & np.isin(moves.seat, list(seats))
    return {one.name: _rate(*one.tally(game, moves), mine) for one in RATES}


def _rate(happened: np.ndarray, possible: np.ndarray, mine: np.ndarray) -> Estimate:
    return rate((happened * (possible & mine)).sum(1), (possible & mine).sum(1))
