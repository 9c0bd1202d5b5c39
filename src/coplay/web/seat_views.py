"""The views of one seat, turn by turn, replayed from the log of a table."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.challenge.hall import as_key
from coplay.games.hanabi import Hanabi

_ahead = ThreadPoolExecutor(1, "ahead")
_expected: set[Hanabi] = set()


def seat_views(game: Hanabi, seed: str, actions: list[int], seat: int) -> list[Any]:
    """The view of one seat before each move and after the last."""
    padded = np.zeros(game.max_steps, np.int32)  # one length for all games, so that one program serves them all
    padded[: len(actions)] = actions
    views = jax.device_get(_views(game, as_key(seed), padded, np.int32(seat)))
    return [jax.tree.map(lambda leaf, at=at: leaf[at], views) for at in range(len(actions) + 1)]


def expect(game: Hanabi) -> None:
    """Somebody is about to sit down: what shows them the table is compiled while they choose."""
    if game not in _expected:
        _expected.add(game)
        _ahead.submit(seat_views, game, "0" * 16, [], 0)


@eqx.filter_jit
def _views(game: Hanabi, seed: Any, actions: Any, seat: Any) -> Any:
    def turn(state: Any, action: Any) -> tuple[Any, Any]:
        after = game.step(state, jnp.full(game.players, action)).state
        return after, game.view(after, seat)

    start = game.reset(jax.random.wrap_key_data(seed))
    later = jax.lax.scan(turn, start, actions)[1]
    return jax.tree.map(lambda one, rest: jnp.concatenate([one[None], rest]), game.view(start, seat), later)
