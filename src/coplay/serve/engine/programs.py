"""What is compiled for the tables of one game. It is shared by all tables of equal games, and let go of together.

Equinox keeps every program for good. A server at which people choose among hundreds of kinds of tables would hold them
all, so these are kept here, by the game.
"""

from __future__ import annotations

import ctypes
import gc
import threading
from collections.abc import Callable
from functools import cache, cached_property
from typing import Any

import equinox as eqx
import jax

from coplay.compiling import quick_options
from coplay.game import Game

Array = jax.Array


class Programs:
    """Of one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._deciding: dict[Any, Callable[..., Any]] = {}  # by what of a policy is no array

    @cached_property
    def advance(self) -> Callable[..., Any]:
        """Deals, steps or looks; see `game_batch.py`."""
        from coplay.serve.engine.game_batch import advance

        game = self.game
        return jax.jit(lambda *given: advance(game, *given), compiler_options=quick_options())

    def decide(self, policy: Any, *given: Any) -> tuple[Any, Array]:
        """What a policy does; one program for all that differ in their numbers only. See `policy_batch.py`."""
        from coplay.serve.engine.players.policy_batch import decide

        numbers, rest = eqx.partition(policy, eqx.is_array)
        leaves, form = jax.tree.flatten(rest)
        key = form, tuple(leaves)
        if key not in self._deciding:
            game = self.game

            def decided(numbers: Any, *given: Any) -> tuple[Any, Array]:
                return decide(game, eqx.combine(numbers, rest), *given)

            self._deciding.setdefault(key, jax.jit(decided, compiler_options=quick_options()))
        return self._deciding[key](numbers, *given)


_held: dict[Game, Programs] = {}
_lock = threading.Lock()


def programs_of(game: Game) -> Programs:
    with _lock:
        return _held.setdefault(game, Programs(game))


def let_go(games: list[Game]) -> None:
    """Nobody sits at tables of these games any more."""
    with _lock:
        for game in games:
            _held.pop(game, None)
    gc.collect()
    give_back()


def give_back() -> None:
    """Memory that compiling has left free goes back to the machine: often more than what was compiled takes."""
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """Of the C library that Linux usually has; elsewhere none."""
    try:
        return ctypes.CDLL("libc.so.6").malloc_trim
    except (OSError, AttributeError):
        return None
