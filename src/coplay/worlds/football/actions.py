"""What a player can do in a step, and the sixteen ways it can do it in.

Ways are counted from the way of attack, 22.5 degrees each; way 4 is towards larger y. A player runs in every second of
them and kicks in all.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import GameError

Array = jax.Array

WAYS = 16
STAY = 0
RUN, PASS, SHOOT = 1, 9, 25  # the first of 8, 16 and 16 actions
TACKLE = 41
NUM_ACTIONS = 42

SCALE = 1024  # length of a way's vector
# Rounded, so that opposite and mirrored ways are exactly opposite and mirrored.
WAY_X = np.array([round(SCALE * math.cos(2 * math.pi * way / WAYS)) for way in range(WAYS)], np.int32)
WAY_Y = np.array([round(SCALE * math.sin(2 * math.pi * way / WAYS)) for way in range(WAYS)], np.int32)

SIGNS = 10  # that can be given at the line-up
COMPASS = [
    "E",
    "SE",
    "S",
    "SW",
    "W",
    "NW",
    "N",
    "NE",
]  # of the runs, on a page whose y points down and where attack is to the right


class Moves(NamedTuple):
    """Actions taken apart; [players] of the shape of the actions."""

    runs: Array  # bool
    passes: Array  # bool
    shoots: Array  # bool
    tackles: Array  # bool
    way: Array  # int32: of a run or a kick, seen by the player; else 0

    @classmethod
    def of(cls, action: Array) -> Moves:
        runs = (action >= RUN) & (action < PASS)
        passes = (action >= PASS) & (action < SHOOT)
        shoots = (action >= SHOOT) & (action < TACKLE)
        way = jnp.where(runs, 2 * (action - RUN), jnp.where(passes | shoots, (action - PASS) % WAYS, 0))
        return cls(runs, passes, shoots, action == TACKLE, way)


def sign_of_action(action: Array) -> Array:
    """int32: the sign that an action gives at the line-up: 1 to 9 for shots, by how far they are from straight on."""
    way = (action - SHOOT) % WAYS
    return jnp.where((action >= SHOOT) & (action < TACKLE), 1 + jnp.minimum(way, WAYS - way), 0)


def action_of_sign(sign: int) -> int:
    """An action that gives this sign."""
    if not 0 <= sign < SIGNS:
        raise GameError(f"sign={sign}: signs are 0 to {SIGNS - 1}.")
    return SHOOT + sign - 1 if sign else STAY


def mirrored(action: int) -> int:
    """The action in a mirror along the pitch."""
    if RUN <= action < PASS:
        return RUN + (RUN - action) % 8
    for first in (PASS, SHOOT):
        if first <= action < first + WAYS:
            return first + (first - action) % WAYS
    return action


def action_text(action: int) -> str:
    """An action id in words."""
    if not 0 <= action < NUM_ACTIONS:
        raise GameError(f"action {action}: actions are 0 to {NUM_ACTIONS - 1}.")
    if action in (STAY, TACKLE):
        return "stay" if action == STAY else "tackle"
    if action < PASS:
        return f"run {COMPASS[action - RUN]}"
    verb, way = ("pass", action - PASS) if action < SHOOT else ("shoot", action - SHOOT)
    return f"{verb} {round(way * 360 / WAYS)}°"
