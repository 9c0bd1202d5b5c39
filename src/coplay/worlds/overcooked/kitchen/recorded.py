"""Starts from recorded games: what a kitchen looks like in the middle of somebody's work, people's or programs'."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import GameError

if TYPE_CHECKING:
    from coplay.worlds.overcooked import rules
    from coplay.worlds.overcooked.settings import Overcooked

Array = jax.Array
KEPT = 4096  # states: so many are drawn of a large recording, always the same ones; they are part of compiled programs
CHUNK = 64  # games that are walked through at once


@lru_cache(maxsize=16)
def recorded_states(game: Overcooked, places: str) -> rules.State:
    """Numpy [states, ...]: states of the recordings in these places, separated by commas, with the clock at 0.

    Each was the state before somebody's move; a long recording has more of them than a short one.
    """
    from coplay.data import DataError
    from coplay.data.formats import read_all
    from coplay.worlds.overcooked.recordings import as_games_of

    parts = []
    for place in filter(None, (word.strip() for word in places.split(","))):
        try:
            parts += [cut for one in read_all(place) if (cut := as_games_of(game, one)) is not None]
        except DataError as error:
            raise GameError(f"starts={places}: {error}") from error
    if not parts:
        raise GameError(f"starts={places}: these are no games of the kitchen {game.kitchen.name!r}.")
    found = [_walked(game, part.starts, part.actions, part.lengths) for part in parts]
    states = jax.tree.map(lambda *leaves: np.concatenate(leaves), *found)
    count = len(states.time)
    kept = np.sort(np.random.default_rng(0).permutation(count)[:KEPT])
    states = jax.tree.map(lambda leaf: leaf[kept], states)
    return states._replace(time=np.zeros_like(states.time), score=np.zeros_like(states.score))


def _walked(game: Overcooked, starts: rules.State, actions: np.ndarray, lengths: np.ndarray) -> Any:
    """All states before a move, one after the other."""
    parts = []
    for first in range(0, len(lengths), CHUNK):
        rows = np.minimum(np.arange(first, first + CHUNK), len(lengths) - 1)
        chosen = jax.tree.map(lambda leaf, rows=rows: np.asarray(leaf)[rows], starts)
        states = jax.device_get(_walker(game)(chosen, np.asarray(actions, np.int32)[rows]))
        played = np.arange(actions.shape[1]) < np.asarray(lengths)[rows, None]
        played[len(lengths) - first :] = False
        parts.append(jax.tree.map(lambda leaf, played=played: leaf[played], states))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)


@cache
def _walker(game: Overcooked) -> Any:
    def one(start: Any, actions: Array) -> Any:
        return jax.lax.scan(lambda state, joint: (game.step(state, joint).state, state), start, actions)[1]

    return jax.jit(jax.vmap(one))


def somebodys(states: rules.State, key: Array) -> rules.State:
    """One of them, each as likely."""
    number = jax.random.randint(key, (), 0, len(states.time))
    return jax.tree.map(lambda leaf: jnp.asarray(leaf)[number], states)
