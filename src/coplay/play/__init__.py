"""Seats agents and runs games. `coplay.play(game, team, games, seed)` is the way in."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coplay.play.episode import Episodes


class _Play(types.ModuleType):
    """The package and the function share a name: importing any file in here must not hide `coplay.play(...)`."""

    def __call__(self, *args: Any, **settings: Any) -> Episodes:
        from coplay.play.play import play

        return play(*args, **settings)


sys.modules[__name__].__class__ = _Play
