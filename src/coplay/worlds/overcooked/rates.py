"""What chefs do in Overcooked: how often each event of the game's own list happens, per seat."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.faces import Conventions, NumberTable, Rate
from coplay.measure import MeasureError
from coplay.measure.stats import Estimate, bootstrap
from coplay.rollouts.episode import Episodes
from coplay.worlds.overcooked import Overcooked

CHUNK = 256
legend = "Events per game and chef, with 95 % intervals."


def rates(game: Overcooked) -> Sequence[Rate]:
    return [Rate(name, "per game and chef", True) for name in game.event_names]


def measure(parts: Sequence[tuple[Episodes, Sequence[int] | None]]) -> dict[str, Estimate]:
    """How often each event happened per chef; every team counts the same, and a game is drawn with all its teams."""
    names = parts[0][0].game.event_names
    counted = []
    for episodes, seats in parts:
        counts = event_counts(episodes)
        counted.append(counts.mean(1) if seats is None else counts[:, sorted(seats)].mean(1))
    per_game = np.mean(counted, axis=0)  # [games, events]
    return {name: bootstrap(per_game[:, number], np.mean, resamples=1000) for number, name in enumerate(names)}


def tables(episodes: Episodes) -> Sequence[NumberTable]:
    """The counts say it all."""
    del episodes
    return []


def conventions(episodes: Episodes, games: int) -> Conventions | None:
    """Chefs have none that anybody wrote down."""
    del episodes, games


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
