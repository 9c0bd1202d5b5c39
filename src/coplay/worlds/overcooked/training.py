"""How kitchens are best learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from jax import Array

from coplay.rollouts.episode import Episodes
from coplay.worlds.overcooked.recordings import as_games_of
from coplay.worlds.overcooked.settings import Overcooked
from coplay.worlds.overcooked.view import View

# JaxMARL's settings for its second Overcooked, but an entropy weight that starts ten times higher and falls to half of
# JaxMARL's, and a plain network: on a fixed layout it learns as well as the convolutions (`encoder=cnn`) and several
# times faster. With fewer and larger steps all seeds stop one soup short in cramped_room and leave the second pot of
# asymmetric_advantages unused (docs/pool.md).
KITCHEN: dict[str, Any] = dict(  # noqa: C408 (reads like the command line)
    games=256,
    turns=256,
    stretch=32,
    minibatches=64,
    embed=128,
    actor=128,
    critic=128,
    hidden=128,
    learning_rate=2.5e-4,
    anneal=True,
    gradient_norm=0.25,
    entropy=0.1,
    entropy_left=0.05,
    total_turns=3e7,
    shaping=1.5e7,
)


def readers(game: Overcooked) -> Sequence[Overcooked]:
    """An encoding that somebody chose; else the short one, which says as much as the pictures."""
    order = ["minimal", "lossless"]
    if not game.kitchen.places["T"]:
        order += ["lossless_2019", "bc_features"] if game.players == 2 else ["lossless_2019"]
    chosen = () if game.encoding == "lossless" else (game.encoding,)
    ways = [dataclasses.replace(game, encoding=encoding) for encoding in dict.fromkeys((*chosen, *order))]
    return list({way.observation_shape: way for way in reversed(ways)}.values())[::-1]  # of equal shapes the first


def fractions(game: Overcooked) -> bool:
    del game
    return False


def defaults(game: Overcooked) -> dict[str, Any]:
    del game
    return KITCHEN


def cloning(game: Overcooked) -> dict[str, Any]:
    """Few games of people, so a small network without a memory, as Carroll et al. and Knott et al. cloned people."""
    del game
    small = {"embed": 64, "actor": 64, "critic": 64, "cell": "none", "hears": "own", "dropout": 0.0}
    return small | {"batch": 4, "stretch": 32, "epochs": 100, "learning_rate": 1e-3}


def recorded(game: Overcooked, episodes: Episodes) -> Episodes | None:
    return as_games_of(game, episodes)


def useful(game: Overcooked, view: View) -> Array:
    """ZSC-Eval's mask."""
    return game.useful_actions(view)
