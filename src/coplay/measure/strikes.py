"""How many lives a team lost in each game, read off the last state."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import numpy as np

from coplay.games.game import Game
from coplay.play.episode import Episodes


@eqx.filter_jit
def _last_states(game: Game, starts: Any, actions: Any) -> Any:
    """The states after all actions [games, steps, players]; after the end nothing changes any more."""

    def one(start: Any, moves: Any) -> Any:
        return jax.lax.scan(lambda state, joint: (game.step(state, joint).state, None), start, moves)[0]

    return jax.vmap(one)(starts, actions)


def strikes(episodes: Episodes) -> np.ndarray | None:
    """int32 [games]: lives lost; None for a game without lives."""
    game, lives = episodes.game, getattr(episodes.game, "life_tokens", None)
    if lives is None:
        return None
    count, turns = episodes.actions.shape[:2]
    # Filled up to the longest possible game, so that one compilation serves every team.
    actions = np.full((count, game.max_steps, game.players), -1, np.int32)
    actions[:, :turns] = episodes.actions[:, :, None]
    last = _last_states(game, episodes.starts, actions)
    return np.asarray(lives - last.lives, np.int32)
