"""What a rollout leaves behind, and how it is cut into sequences.

A row is one decision of one seat. Axes: [turns, games, seats in the row]. Where the turn goes round the table and the
memory advances on own turns only, a turn has one row: the seat to move. Else every seat has a row in every turn.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp

from coplay.agents.nets.network import Design
from coplay.games.game import Game

Array = jax.Array


class Rows(NamedTuple):
    """Decisions [turns, games, rows, ...] and what each turn paid."""

    observation: Array  # uint8 [..., *observation shape]
    everything: Array  # uint8 [..., critic inputs]: all views, for a critic that sees them; else size 0
    legal: Array  # bool [..., actions]
    action: Array  # int32: what was played, in the labels the network saw
    log_prob: Array  # float32: of that action when it was chosen
    value: Array  # float32
    learns: Array  # bool: the learner decided here
    waits: Array  # bool: the game is over and not yet begun anew; the value is that of the last position
    fresh: Array  # bool: a game began since this memory's last row
    reward: Array  # float32
    ends: Array  # bool: the game ended here by its rules, so nothing comes after
    extra: dict[str, Array]  # columns that terms ask for or attach


def one_row_per_turn(game: Game, design: Design) -> bool:
    """Does only the seat to move have a row?"""
    return not game.simultaneous and design.hears == "own"


def round_up(turns: int, players: int) -> int:
    """Whole rounds, so that the seat-to-move rows fall into one sequence per seat."""
    return -(-turns // players) * players


def to_sequences(game: Game, design: Design, column: Array) -> Array:
    """[turns, games, rows, ...] -> [decisions, streams..., ...]: one stream per memory.

    The turn goes round the table, so turn t belongs to memory t modulo players: no gather is needed.
    """
    if not one_row_per_turn(game, design):
        return column
    turns, games = column.shape[:2]
    return column.reshape(turns // game.players, game.players, games, *column.shape[3:])


def from_sequences(game: Game, design: Design, column: Array) -> Array:
    """The inverse of `to_sequences`."""
    if not one_row_per_turn(game, design):
        return column
    rounds, players, games = column.shape[:3]
    return column.reshape(rounds * players, games, 1, *column.shape[3:])


def to_streams(game: Game, design: Design, carry: Any) -> Any:
    """Memories [games, players, ...] in the order of the streams of `to_sequences`."""
    if not one_row_per_turn(game, design):
        return carry
    return jax.tree.map(lambda leaf: jnp.swapaxes(leaf, 0, 1), carry)


def from_streams(game: Game, design: Design, carry: Any) -> Any:
    """The inverse of `to_streams`."""
    return to_streams(game, design, carry)
