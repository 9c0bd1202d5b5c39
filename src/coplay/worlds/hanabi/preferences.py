"""What Hanabi players may prefer: to hint, by colour or by rank, to play or to discard, to take risks or none."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import jax
import jax.numpy as jnp

from coplay.faces import Wish
from coplay.game import Step
from coplay.worlds.hanabi.rules import State, decode
from coplay.worlds.hanabi.settings import Hanabi

NAMES = ("hint colour", "hint rank", "discard", "play", "life lost")
# Event -> the weights that it may have besides 0, in points, and how that is said.
WEIGHTS: dict[str, dict[float, str]] = {
    "hint colour": {-0.5: "avoids hints by colour", 0.1: "likes hints by colour"},
    "hint rank": {-0.5: "avoids hints by rank", 0.1: "likes hints by rank"},
    "discard": {-0.2: "avoids discards", 0.05: "likes discards"},
    "play": {-0.2: "plays what is sure", 0.1: "likes to play"},
    "life lost": {-1.0: "fears for lives"},
}
MOST = 2  # tastes of one player


def counting(game: Hanabi) -> Hanabi:
    return game


def events(game: Hanabi) -> Sequence[str]:
    del game
    return NAMES


def count(game: Hanabi, state: State, actions: jax.Array, step: Step) -> jax.Array:
    """uint8 [players, events]: the mover's; nobody else does anything."""
    move = decode(game, actions[state.seat])
    live = game.turn(state).any()
    did = jnp.stack([move.color_hint, move.rank_hint, move.discard, move.play, step.events.misplayed]) & live
    mover = jnp.arange(game.players) == state.seat
    return (mover[:, None] & did).astype(jnp.uint8)


def wishes(game: Hanabi) -> Sequence[Wish]:
    """All combinations of up to two tastes, those that concern few events first; points always count in full."""
    del game
    found = []
    for size in range(MOST + 1):
        for names in itertools.combinations(WEIGHTS, size):
            for values in itertools.product(*(WEIGHTS[name] for name in names)):
                weights = dict(zip(names, values, strict=True))
                words = [WEIGHTS[name][value] for name, value in weights.items()]
                found.append(Wish(", ".join(words) or "plain", 1.0, tuple(weights.get(name, 0.0) for name in NAMES)))
    return found


def described_by(game: Hanabi) -> Sequence[int]:
    del game
    return range(len(NAMES))
