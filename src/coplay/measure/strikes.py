"""How many lives a team lost in each game, read off the last state."""

from __future__ import annotations

import numpy as np

from coplay.play.episode import Episodes
from coplay.play.lockstep import last_states


def strikes(episodes: Episodes) -> np.ndarray | None:
    """int32 [games]: lives lost; None for a game without lives."""
    game, lives = episodes.game, getattr(episodes.game, "life_tokens", None)
    if lives is None:
        return None
    actions = np.repeat(episodes.actions[:, :, None], game.players, axis=2)
    last = last_states(game, episodes.starts, actions)
    return np.asarray(lives - np.asarray(last.lives), np.int32)
