"""What to do with the ball: dribble, pass, shoot, clear."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.lax import div

from coplay.worlds.football.actions import PASS, RUN, SCALE, SHOOT, WAY_X, WAY_Y
from coplay.worlds.football.bots.geometry import (
    best_way,
    distance,
    flank,
    from_goal,
    mates,
    opponents,
    pass_to,
    pressed,
    shot,
    strays,
)
from coplay.worlds.football.pitch import METRE
from coplay.worlds.football.view import View

Array = jax.Array
STRIDE = 2 * METRE  # a dribbler looks so far ahead
CROWD = 3 * METRE  # and keeps so far from opponents


def dribble(view: View) -> Array:
    """The run that brings the ball nearest to the goal, around whoever is in the way."""
    x = view.x[0] + div(jnp.asarray(WAY_X[::2]) * STRIDE, SCALE)
    y = view.y[0] + div(jnp.asarray(WAY_Y[::2]) * STRIDE, SCALE)
    near = CROWD - distance(view.x[None] - x[:, None], view.y[None] - y[:, None])
    crowd = jnp.where(view.seen & opponents(view), jnp.maximum(near, 0), 0).sum(1)
    return RUN + jnp.argmax(x - div(jnp.abs(y), 2) - crowd).astype(jnp.int32)


def solo(view: View, reach: int = 9 * METRE) -> Array:
    """Towards the goal, and shoots when it is near enough."""
    kick, between = shot(view)
    return jnp.where((from_goal(view) < reach) & between, kick, dribble(view))


def eager(view: View) -> Array:
    """Shoots from far away."""
    return solo(view, 13 * METRE)


def kick_on(view: View) -> Array:
    """Dribbles or, when somebody comes, kicks the ball towards the goal."""
    way = best_way(jnp.asarray(20 * METRE) - view.x[0], -view.y[0])
    return jnp.where(pressed(view, 3 * METRE // 2) & (from_goal(view) > 9 * METRE), PASS + way, solo(view))


def free_mate(view: View) -> tuple[Array, Array]:
    """How good the best pass is (metres forward and of room), and the number of the mate."""
    away_x, away_y = view.x - view.x[0], view.y - view.y[0]
    far = distance(away_x, away_y)
    way = jnp.stack([best_way(away_x[n], away_y[n]) for n in range(view.game.players)])
    foes = view.seen & opponents(view)
    apart = distance(view.x[:, None] - view.x[None], view.y[:, None] - view.y[None])
    room = jnp.minimum(jnp.where(foes[None], apart, 5 * METRE).min(1), 5 * METRE)
    # An opponent stands in the way if it is nearer than the mate, ahead, and close to the line.
    along_x, along_y = jnp.asarray(WAY_X)[way], jnp.asarray(WAY_Y)[way]
    ahead = div(away_x[None] * along_x[:, None] + away_y[None] * along_y[:, None], SCALE)
    aside = strays(away_x[None], away_y[None], way[:, None])
    blocked = (foes[None] & (ahead > 0) & (ahead < far[:, None]) & (aside < METRE)).any(1)
    can = view.seen & mates(view) & (far > 3 * METRE) & (far < 13 * METRE) & ~blocked
    can = can & (strays(away_x, away_y, way) < 3 * METRE // 2)
    value = jnp.where(can, away_x + 2 * room, -(1 << 20))
    best = jnp.argmax(value)
    return value[best], best


def give(view: View, least: int) -> tuple[Array, Array]:
    """The best pass, and whether it is good enough."""
    value, mate = free_mate(view)
    return pass_to(view, view.x[mate] + 4 * view.vx[mate], view.y[mate] + 4 * view.vy[mate]), value > least


def combine(view: View) -> Array:
    """Shoots near the goal, passes to a free mate, dribbles where there is none."""
    kick, between = shot(view)
    ball, good = give(view, 8 * METRE)
    under, _ = give(view, 3 * METRE)
    escape = pressed(view, 2 * METRE)
    passes = jnp.where(good, ball, jnp.where(escape, under, dribble(view)))
    near = (from_goal(view) < 8 * METRE) & between
    return jnp.where(near, kick, passes)


def clear(view: View) -> Array:
    """Away from the own goal: to a free mate if there is one, else far up the flank."""
    ball, good = give(view, 6 * METRE)
    way = best_way(jnp.asarray(12 * METRE), flank(view) * 6 * METRE)
    return jnp.where(good, ball, SHOOT + way)


def cross(view: View) -> Array:
    """Up the wing, then to the middle."""
    up = RUN + best_way(jnp.asarray(4 * METRE), flank(view) * 7 * METRE - view.y[0], step=2)
    ball, good = give(view, 4 * METRE)
    late = view.x[0] > 8 * METRE
    return jnp.where(late, jnp.where(good, ball, solo(view, 10 * METRE)), up)
