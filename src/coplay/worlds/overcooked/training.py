"""How kitchens are best learned."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from jax import Array

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
    order = ("minimal", "lossless", "lossless_2019") if game.kitchen.places["T"] == () else ("minimal", "lossless")
    chosen = () if game.encoding == "lossless" else (game.encoding,)
    return [dataclasses.replace(game, encoding=encoding) for encoding in dict.fromkeys((*chosen, *order))]


def fractions(game: Overcooked) -> bool:
    del game
    return False


def defaults(game: Overcooked) -> dict[str, Any]:
    del game
    return KITCHEN


def useful(game: Overcooked, view: View) -> Array:
    """ZSC-Eval's mask."""
    return game.useful_actions(view)
