"""Hanabi games that were played elsewhere: reading them, checking them, writing ours in other people's formats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy

if TYPE_CHECKING:
    from coplay.worlds.hanabi.recordings.ah2ac2 import load_games, save_games
    from coplay.worlds.hanabi.recordings.episodes import from_episodes, to_episodes
    from coplay.worlds.hanabi.recordings.games import Games, join
    from coplay.worlds.hanabi.recordings.hanablive_games import load_hanablive
    from coplay.worlds.hanabi.recordings.replay import replay_views
    from coplay.worlds.hanabi.recordings.verification import verify

_PLACES = {
    "Games": "coplay.worlds.hanabi.recordings.games",
    "from_episodes": "coplay.worlds.hanabi.recordings.episodes",
    "to_episodes": "coplay.worlds.hanabi.recordings.episodes",
    "join": "coplay.worlds.hanabi.recordings.games",
    "load_games": "coplay.worlds.hanabi.recordings.ah2ac2",
    "load_hanablive": "coplay.worlds.hanabi.recordings.hanablive_games",
    "replay_views": "coplay.worlds.hanabi.recordings.replay",
    "save_games": "coplay.worlds.hanabi.recordings.ah2ac2",
    "verify": "coplay.worlds.hanabi.recordings.verification",
}
__all__ = [
    "Games",
    "from_episodes",
    "join",
    "load_games",
    "load_hanablive",
    "replay_views",
    "save_games",
    "to_episodes",
    "verify",
]
__getattr__, __dir__ = lazy(__name__, _PLACES)
