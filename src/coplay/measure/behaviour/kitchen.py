"""What chefs do in Overcooked: how often each event of the game's own list happens, per seat."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.games.overcooked import Overcooked
from coplay.measure import MeasureError
from coplay.play.episode import Episodes

CHUNK = 256


def event_counts(episodes: Episodes) -> np.ndarray:
    """int32 [games, players, events]: how often `game.event_names[e]` happened."""
    game = episodes.game
    if not isinstance(game, Overcooked):
        raise MeasureError(f"{game.name} has no kitchen events; this measure reads games of Overcooked.")
    count, turns = episodes.actions.shape[:2]
    actions = np.full((count, game.max_steps, game.players), -1, np.int32)
    actions[:, :turns] = episodes.actions
    size = min(CHUNK, 1 << (count - 1).bit_length())  # few different sizes, so that little compiles twice
    parts = []
    for first in range(0, count, size):
        rows = np.minimum(np.arange(first, first + size), count - 1)
        starts = jax.tree.map(lambda leaf, rows=rows: jnp.asarray(np.asarray(leaf)[rows]), episodes.starts)
        parts.append(np.asarray(_count(game, starts, jnp.asarray(actions[rows]))))
    return np.concatenate(parts)[:count]


@eqx.filter_jit
def _count(game: Overcooked, starts: Any, actions: Any) -> Any:
    def one(start: Any, moves: Any) -> Any:
        def turn(carry: tuple[Any, Any], joint: Any) -> tuple[tuple[Any, Any], None]:
            state, total = carry
            step = game.step(state, joint)
            return (step.state, total + step.events.flags.astype(jnp.int32)), None

        nothing = jnp.zeros((game.players, len(game.event_names)), jnp.int32)
        return jax.lax.scan(turn, (start, nothing), moves)[0][1]

    return jax.vmap(one)(starts, actions)
