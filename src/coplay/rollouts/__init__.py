"""Seats teams and runs games. `coplay.play(game, team, games, seed)` is the way in.

Others use it, `Episodes`, `Forfeit`, `load_episodes` and `save_episodes`; the rest is how it is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy

if TYPE_CHECKING:
    from coplay.rollouts.episode import Episodes, Forfeit
    from coplay.rollouts.episode_file import load as load_episodes
    from coplay.rollouts.episode_file import save as save_episodes

_PLACES = {
    "Episodes": "coplay.rollouts.episode",
    "Forfeit": "coplay.rollouts.episode",
    "load_episodes": "coplay.rollouts.episode_file:load",
    "save_episodes": "coplay.rollouts.episode_file:save",
}
__all__ = ["Episodes", "Forfeit", "load_episodes", "save_episodes"]
__getattr__, __dir__ = lazy(__name__, _PLACES)
