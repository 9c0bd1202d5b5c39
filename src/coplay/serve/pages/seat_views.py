"""The views of one seat, turn by turn, replayed from the log of a table."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import equinox as eqx
import jax
import numpy as np

from coplay.challenge.batches import as_key
from coplay.game import Game
from coplay.serve.engine.history import joint_actions, seen_by

_ahead = ThreadPoolExecutor(1, "ahead")
_expected: set[Game] = set()


def seat_views(game: Game, seed: str, actions: Sequence[tuple[int, ...]], seat: int) -> list[Any]:
    """The view of one seat before each move and after the last; `actions`: of those on turn, as logs have them."""
    views = jax.device_get(_views(game, as_key(seed), joint_actions(game, actions), np.int32(seat)))
    return [jax.tree.map(lambda leaf, at=at: leaf[at], views) for at in range(len(actions) + 1)]


def expect(game: Game) -> None:
    """Somebody is about to sit down: what shows them the table is compiled while they choose."""
    if game not in _expected:
        _expected.add(game)
        _ahead.submit(seat_views, game, "0" * 16, [], 0)


@eqx.filter_jit
def _views(game: Game, seed: Any, joint: Any, seat: Any) -> Any:
    return seen_by(game, seed, joint, lambda state: game.view(state, seat))
