"""Games that were played elsewhere: reading them, checking them, and writing ours in other people's formats."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coplay.data.ah2ac2 import load_games, save_games
    from coplay.data.episodes import from_episodes
    from coplay.data.games import Games, join
    from coplay.data.hanablive_games import load_hanablive
    from coplay.data.replay import replay_views
    from coplay.data.splitting import split
    from coplay.data.summary import statistics
    from coplay.data.verification import verify

# Public names and where they live; imported on first use, so that `coplay data --help` does not load JAX.
_PUBLIC = {
    "Games": "coplay.data.games",
    "from_episodes": "coplay.data.episodes",
    "join": "coplay.data.games",
    "load_games": "coplay.data.ah2ac2",
    "load_hanablive": "coplay.data.hanablive_games",
    "replay_views": "coplay.data.replay",
    "save_games": "coplay.data.ah2ac2",
    "split": "coplay.data.splitting",
    "statistics": "coplay.data.summary",
    "verify": "coplay.data.verification",
}
__all__ = [
    "DataError",
    "Games",
    "from_episodes",
    "join",
    "load_games",
    "load_hanablive",
    "replay_views",
    "save_games",
    "split",
    "statistics",
    "verify",
]


class DataError(ValueError):
    """A recorded game cannot be read or written; the message names the game, the turn, the value and the remedy."""


def __getattr__(name: str) -> Any:
    if name in _PUBLIC:
        return getattr(importlib.import_module(_PUBLIC[name]), name)
    raise AttributeError(f"module 'coplay.data' has no attribute {name!r}")
