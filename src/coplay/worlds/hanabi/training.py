"""How Hanabi is best learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from jax import Array

from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

SHORT = 40  # turns: a tiny deck, which small networks learn on two CPU cores in minutes
TINY: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    games=128,
    turns=32,
    embed=128,
    actor=128,
    critic=128,
    learning_rate=1e-3,
    entropy=0.05,
    total_turns=4e6,
    mercy=3e6,
    anneal=True,
)


def readers(game: Hanabi) -> Sequence[Hanabi]:
    """With the beliefs in the observation, with which learning needs far fewer games."""
    if game.observation != "card_knowledge":
        return [game]
    return [dataclasses.replace(game, encoding="jaxmarl")]


def fractions(game: Hanabi) -> bool:
    return game.encoding == "jaxmarl"


def defaults(game: Hanabi) -> dict[str, Any]:
    return TINY if game.max_steps < SHORT else {}


def cloning(game: Hanabi) -> dict[str, Any]:
    """The paper's settings, which `bc` has anyway, are for two players."""
    return {} if game.players == 2 else {"embed": 512, "batch": 128, "epochs": 50}


def recorded(game: Hanabi, episodes: Episodes) -> Episodes | None:
    return episodes if episodes.game.players == game.players else None


def useful(game: Hanabi, view: View) -> Array:
    """Every legal move of Hanabi changes something."""
    return game.legal(view)
