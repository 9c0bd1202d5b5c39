"""A view as bytes, for networks: 255 is 1.

What changes its sign in a mirror has two entries, one for each hand, so that a mirror only changes entries' places.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import div

from coplay.worlds.football import pitch
from coplay.worlds.football.actions import SCALE, WAY_X, WAY_Y
from coplay.worlds.football.view import OURS, THEIRS

if TYPE_CHECKING:
    from coplay.worlds.football.view import View

Array = jax.Array
FULL = 255
LEFT, RIGHT = "to smaller y", "to larger y"
RUNNING = 104  # the highest speed of a player, in 1/256 metre a step
_PLACE = ("x", f"y {RIGHT}", f"y {LEFT}")
_SPEED = ("speed forward", "speed backward", f"speed {RIGHT}", f"speed {LEFT}")
_FACING = ("faces forward", "faces backward", f"faces {RIGHT}", f"faces {LEFT}")
_BODY = (*_PLACE, *_SPEED, *_FACING, "has the ball", "gave the viewer's sign")
_OTHER = ("in sight", *_BODY)
_AWAY = ("ahead of the viewer", "behind the viewer", f"{RIGHT} of the viewer", f"{LEFT} of the viewer")
_BALL = ("in sight", *_PLACE, *_AWAY, *_SPEED)
_MATCH = (
    "time",
    "half-time is over",
    "lead",
    "deficit",
    "the ball is ours to take",
    "theirs to take",
    "cannot act",
    "cannot take the ball",
)


@cache
def names(players: int) -> tuple[str, ...]:
    """What every entry is."""
    found = [f"viewer: {what}" for what in _BODY[:-1]] + [f"ball: {what}" for what in _BALL]
    found += [f"match: {what}" for what in _MATCH]
    for number in range(1, players):
        who = f"mate {number // 2}" if number % 2 == 0 else f"opponent {(number + 1) // 2}"
        found += [f"{who}: {what}" for what in (*_OTHER, *_AWAY)]
    return tuple(found)


def size(players: int) -> int:
    return len(names(players))


def describe(players: int, entry: int) -> str:
    """An entry in words."""
    from coplay.game import GameError

    if not 0 <= entry < size(players):
        raise GameError(f"entry {entry}: entries are 0 to {size(players) - 1}.")
    return names(players)[entry]


@cache
def mirror_table(players: int) -> np.ndarray:
    """int [entries]: which entry of the original an entry of the mirror image shows."""
    known = names(players)
    swapped = [name.replace(RIGHT, "?").replace(LEFT, RIGHT).replace("?", LEFT) for name in known]
    return np.array([known.index(name) for name in swapped])


def encode(view: View) -> Array:
    """uint8 [entries]"""
    game = view.game
    has = view.owner == np.arange(game.players)
    bodies = [
        _x(view.x), *_hands(view.y, pitch.WIDTH), *_hands(view.vx, RUNNING), *_hands(view.vy, RUNNING),
        *_hands(jnp.asarray(WAY_X)[view.way], SCALE), *_hands(jnp.asarray(WAY_Y)[view.way], SCALE), has * FULL,
    ]  # fmt: skip
    same = (view.signs == view.signs[0]) & (view.signs > 0)
    own = [column[0] for column in bodies]
    ball = [
        view.ball_seen * FULL, _x(view.ball_x), *_hands(view.ball_y, pitch.WIDTH),
        *_away(view.ball_x - view.x[0], view.ball_y - view.y[0]),
        *_hands(view.ball_vx, pitch.SHOT_SPEED), *_hands(view.ball_vy, pitch.SHOT_SPEED),
    ]  # fmt: skip
    ball = [ball[0], *(jnp.where(view.ball_seen, entry, 0) for entry in ball[1:])]
    lead = jnp.clip(view.goals[0] - view.goals[1], -5, 5)
    match = [
        div(view.time * FULL, game.max_steps), (view.time > game.half) * FULL, *_hands(lead, 5),
        (view.claim == OURS) * FULL, (view.claim == THEIRS) * FULL,
        view.stun * (FULL // pitch.STUMBLE), view.cool * (FULL // pitch.STUMBLE),
    ]  # fmt: skip
    away = _away(view.x - view.x[0], view.y - view.y[0])
    others = [jnp.where(view.seen, column, 0) for column in (view.seen * FULL, *bodies, same * FULL, *away)]
    columns = jnp.stack([column[1:] for column in others], axis=1).reshape(-1)
    first = jnp.stack([jnp.asarray(entry, jnp.int32) for entry in (*own, *ball, *match)])
    return jnp.clip(jnp.concatenate([first, columns]), 0, FULL).astype(jnp.uint8)


def _x(x: Array) -> Array:
    """From the own goal line to the other one."""
    return div((x + pitch.LENGTH) * FULL, 2 * pitch.LENGTH)


def _hands(number: Array, full: int) -> tuple[Array, Array]:
    """What is above zero, and what is below."""
    return div(jnp.maximum(number, 0) * FULL, full), div(jnp.maximum(-number, 0) * FULL, full)


def _away(x: Array, y: Array) -> tuple[Array, ...]:
    """How far something is, up to ten metres: what is near counts."""
    far = 10 * pitch.METRE
    return *_hands(jnp.clip(x, -far, far), far), *_hands(jnp.clip(y, -far, far), far)
