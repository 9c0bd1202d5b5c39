"""Where things are and which way leads there, seen by a player; in whole numbers, so that all engines agree."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import div

from coplay.worlds.football.actions import PASS, RUN, SCALE, SHOOT, STAY, WAY_X, WAY_Y
from coplay.worlds.football.pitch import GOAL, LENGTH, METRE
from coplay.worlds.football.view import View

Array = jax.Array
THERE = METRE // 2  # who is so near a place has arrived
NOWHERE = 1 << 20  # farther than anything


def distance(x: Array, y: Array) -> Array:
    """About the length of a vector: of an octagon instead of a circle."""
    one, other = jnp.abs(x), jnp.abs(y)
    return jnp.maximum(one, other) + div(jnp.minimum(one, other) * 3, 8)


def mates(view: View) -> np.ndarray:
    """bool [players]: the others of the viewer's side."""
    number = np.arange(view.game.players)
    return (number % 2 == 0) & (number > 0)


def opponents(view: View) -> np.ndarray:
    return np.arange(view.game.players) % 2 == 1


def from_ball(view: View) -> Array:
    """int32 [players]: how far everybody is from the ball; NOWHERE if out of sight."""
    return jnp.where(view.seen, distance(view.x - view.ball_x, view.y - view.ball_y), NOWHERE)


def run_to(view: View, x: Array | int, y: Array | int) -> Array:
    """The action that leads there, braking for the momentum; nothing where one has arrived."""
    away_x = jnp.asarray(x) - view.x[0] - 2 * view.vx[0]
    away_y = jnp.asarray(y) - view.y[0] - 2 * view.vy[0]
    return jnp.where(distance(away_x, away_y) < THERE, STAY, RUN + best_way(away_x, away_y, step=2))


def best_way(x: Array, y: Array, step: int = 1) -> Array:
    """int32: the number of the way (every `step`-th counted) that is nearest to a direction."""
    along = div(x, 4) * jnp.asarray(WAY_X[::step]) + div(y, 4) * jnp.asarray(WAY_Y[::step])
    return jnp.argmax(along).astype(jnp.int32)


def strays(x: Array, y: Array, way: Array) -> Array:
    """How far a ball that is kicked this way passes by a place."""
    return jnp.abs(div(x * jnp.asarray(WAY_Y)[way] - y * jnp.asarray(WAY_X)[way], SCALE))


def pass_to(view: View, x: Array, y: Array) -> Array:
    return PASS + best_way(x - view.x[0], y - view.y[0])


def shot(view: View) -> tuple[Array, Array]:
    """The shot that passes nearest to the middle of the goal, and whether it would be between the posts."""
    away_x, away_y = LENGTH - view.x[0], -view.y[0]
    way = best_way(away_x, away_y)
    return SHOOT + way, strays(away_x, away_y, way) < GOAL - METRE // 4


def from_goal(view: View) -> Array:
    """How far the viewer is from the goal that it attacks."""
    return distance(LENGTH - view.x[0], view.y[0])


def pressed(view: View, reach: int) -> Array:
    """bool: an opponent is so near."""
    near = distance(view.x - view.x[0], view.y - view.y[0]) < reach
    return (near & view.seen & opponents(view)).any()


def flank(view: View) -> Array:
    """1 or -1: the side of the pitch that a seat keeps to."""
    return 1 - 2 * ((view.seat // 2) % 2)
