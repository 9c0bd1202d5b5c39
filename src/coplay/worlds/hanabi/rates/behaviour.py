"""How somebody plays Hanabi, as the core asks for it: rates of moves, what follows what, conventions kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coplay.faces import Conventions, NumberTable, Rate
from coplay.measure.stats import Estimate
from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi.rates.action_table import ActionTable, action_table, kind_table
from coplay.worlds.hanabi.rates.conventions import adherence, readable, readings
from coplay.worlds.hanabi.rates.moves import Moves, moves_of
from coplay.worlds.hanabi.rates.style import RATES, style

FIRST = ("communicativeness", "information per play", "misplays", "blind plays", "plays after a hint")
ABOUT = {
    "communicativeness": "Hints given, of all turns that began with a hint token. Band: 95 % interval, games drawn "
    "anew.",
    "information per play": "Of the cards played: half a point for knowing the colour and half for the rank, from "
    "hints alone. Low values with few misplays mean conventions: the card was known by other means.",
}
legend = "Shares, with 95 % intervals."


def rates(game: Any) -> Sequence[Rate]:
    del game
    return [Rate(one.name, one.says, one.name in FIRST, True, ABOUT.get(one.name, "")) for one in RATES]


def measure(parts: Sequence[tuple[Episodes, Sequence[int] | None]]) -> dict[str, Estimate]:
    """The moves of all teams on one deal stand in one row, so that a deal is drawn with all its games."""
    game = parts[0][0].game
    moves = [_of_seats(moves_of(episodes), seats) for episodes, seats in parts]
    joined = Moves(*(np.concatenate(leaves, axis=1) for leaves in zip(*moves, strict=True)))
    return style(game, joined)


def _of_seats(moves: Moves, seats: Sequence[int] | None) -> Moves:
    return moves if seats is None else moves._replace(made=moves.made & np.isin(moves.seat, list(seats)))


def tables(episodes: Episodes) -> Sequence[NumberTable]:
    game, moves = episodes.game, moves_of(episodes)
    kinds = _follows("What follows what, in per cent: the last move, then the next player's.", kind_table(moves))
    every = _follows("Move by move", action_table(game, moves))
    return [kinds, every._replace(folded=True, folder="actions")]


def _follows(title: str, table: ActionTable) -> NumberTable:
    values = np.vstack([table.given, table.overall])
    times = np.append(table.pairs.sum(1), table.moves.sum())
    return NumberTable(title, (*table.labels, "any"), table.labels, values, "last move", share=True, times=times)


def conventions(episodes: Episodes, games: int) -> Conventions | None:
    """In the words of the H-Group; its reader knows the standard game, seat 0 first."""
    if not readable(episodes.game) or np.asarray(episodes.starts.seat)[:games].any():
        return None
    rows = readings(episodes, games)
    found = adherence(rows)
    says = "Share of moves that break no principle of the conventions, levels 1 to 5."
    return Conventions(
        "H-Group", says, found.share, found.labels, found.violations, found.moves, found.games, tuple(rows)
    )
