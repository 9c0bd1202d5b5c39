"""Recorded games played again inside one compiled function: positions and views, turn by turn, never stored on disk.

The recording trap: people stop when no further point is possible, so a recording can end before the rules end the game,
and what a file holds after the last move is filler. Here the position stands still from `length` on.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, get_args

import jax
import jax.numpy as jnp

from coplay.data import DataError
from coplay.worlds.hanabi import Hanabi, State, View

Array = jax.Array
Seats = Literal["acting", "all"]


class Walk(NamedTuple):
    """One game from its first turn to its last; entries from `length` on repeat the last position."""

    end: State  # after the last move
    seen: Any  # [turns, ...]: what `look` made of the position before each move
    refused: Array  # bool [turns]: the move was illegal, and the position did not change
    over: Array  # bool [turns]: a move was recorded although the rules had ended the game


def walk(game: Hanabi, deck: Array, actions: Array, length: Array, look: Callable[[State], Any]) -> Walk:
    """Plays `actions` int [turns] from `deck` int [50, 2]; pure, to be jitted and vmapped by the caller."""

    def move(state: State, turn: tuple[Array, Array]) -> tuple[State, tuple[Any, Array, Array]]:
        action, recorded = turn
        step = game.step(state, jnp.full(game.players, jnp.where(recorded, action, -1)))  # -1 changes nothing
        return step.state, (look(state), step.events.illegal.any() & recorded, state.done & recorded)

    recorded = mask_of(actions, length)
    end, (seen, refused, over) = jax.lax.scan(move, game.deal(deck), (jnp.asarray(actions, jnp.int32), recorded))
    return Walk(end, seen, refused, over)


def mask_of(actions: Array, length: Array) -> Array:
    """bool [turns]: which turns were played."""
    return jnp.arange(jnp.shape(actions)[-1]) < length


@functools.partial(jax.jit, static_argnames=("game", "seats"))
def replay_views(
    game: Hanabi, deck: Array, actions: Array, length: Array, seats: Seats = "acting"
) -> tuple[View, Array]:
    """What was seen before each move of one game, and which turns were played: views [turns, ...] and bool [turns].

    `seats="acting"` gives the view of the seat to move; `seats="all"` that of every seat, leaves [turns, players, ...].
    For many games: `jax.vmap(functools.partial(replay_views, game))(games.decks, games.actions, games.lengths)`.
    """

    if seats not in get_args(Seats):
        raise DataError(f"seats={seats!r}: choose 'acting' (the seat to move) or 'all'.")

    def look(state: State) -> View:
        if seats == "acting":
            return game.view(state, state.seat)
        views = [game.view(state, seat) for seat in range(game.players)]
        return jax.tree.map(lambda *leaves: jnp.stack(leaves), *views)

    return walk(game, deck, actions, length, look).seen, mask_of(actions, length)
