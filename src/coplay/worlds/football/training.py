"""How matches are learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax import Array

from coplay.worlds.football.settings import Football
from coplay.worlds.football.view import View

PITCH: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    games=256,
    turns=64,
    minibatches=16,
    embed=256,
    actor=256,
    critic=256,
    hidden=256,
    learning_rate=3e-4,
    anneal=True,
    entropy=0.01,
    total_turns=2e7,
    shaping=2e7,
)


def readers(game: Football) -> Sequence[Football]:
    """There is one encoding."""
    return [game]


def fractions(game: Football) -> bool:
    """Bytes stand for numbers from 0 to 1."""
    del game
    return True


def defaults(game: Football) -> dict[str, Any]:
    del game
    return PITCH


def useful(game: Football, view: View) -> Array:
    """Nobody knows of useless actions."""
    del view
    return jnp.ones(game.num_actions, bool)
