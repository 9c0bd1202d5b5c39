"""Games that were played elsewhere: reading them, checking them, and writing ours in other people's formats."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coplay.data.ah2ac2 import load_games, save_games
    from coplay.data.games import Games
    from coplay.data.replay import replay_views
    from coplay.data.verification import verify

# Public names and where they live; imported on first use, so that `coplay data --help` does not load JAX.
_PUBLIC = {
    "Games": "coplay.data.games",
    "load_games": "coplay.data.ah2ac2",
    "replay_views": "coplay.data.replay",
    "save_games": "coplay.data.ah2ac2",
    "verify": "coplay.data.verification",
}
__all__ = ["DataError", "Games", "load_games", "replay_views", "save_games", "verify"]


class DataError(ValueError):
    """A recorded game cannot be read or written; the message names the game, the turn, the value and the remedy."""


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'coplay.data' has no attribute {name!r}")
