"""Who goes for the ball, and where the others stand."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import div

from coplay.worlds.football.bots.geometry import NOWHERE, distance, flank, from_ball, mates, opponents
from coplay.worlds.football.pitch import LENGTH, METRE, PLACES, WIDTH
from coplay.worlds.football.view import View

Array = jax.Array
Place = tuple[Array, Array]


def always(view: View) -> Array:
    return jnp.ones((), bool)


def nearest(view: View) -> Array:
    """Of the mates in sight nobody is nearer to the ball or has it."""
    return _nearest_of(view, mates(view))


def nearest_of_known(view: View) -> Array:
    """The same of known mates; who is unknown is ignored, even with the ball."""
    return _nearest_of(view, known(view))


def known(view: View) -> Array:
    """bool [players]: mates who gave the viewer's sign."""
    return (view.signs == view.signs[0]) & (view.signs[0] > 0) & mates(view)


def _nearest_of(view: View, others: Array | np.ndarray) -> Array:
    far = from_ball(view)
    has = (view.owner == jnp.arange(view.game.players)) & others
    return (far[0] <= jnp.where(others, far, NOWHERE).min()) & ~has.any()


def near_own_goal(view: View) -> Array:
    """The ball comes near the own goal, or to the viewer's feet, and nobody of the side has it."""
    has = (view.owner == jnp.arange(view.game.players)) & mates(view)
    close = distance(view.ball_x + LENGTH, view.ball_y) < 6 * METRE
    return (close & nearest(view)) | ((from_ball(view)[0] < 2 * METRE) & ~has.any())


def in_their_half(view: View) -> Array:
    return nearest(view) & (view.ball_x > -2 * METRE)


def in_own_third(view: View) -> Array:
    """Nearest to the ball, or the ball is close to the own goal and nobody of the side has it."""
    has = (view.owner == jnp.arange(view.game.players)) & mates(view)
    return nearest(view) | ((view.ball_x < -9 * METRE) & ~has.any())


def on_own_flank(view: View) -> Array:
    return nearest(view) & ((view.ball_y * flank(view) > -METRE) | (from_ball(view)[0] < 3 * METRE))


def behind_ball(view: View) -> Place:
    """Two metres behind the ball."""
    return view.ball_x - 2 * METRE, view.ball_y


def in_goal(view: View) -> Place:
    """Between the posts, where the ball would come."""
    return jnp.asarray(-LENGTH + METRE), jnp.clip(div(view.ball_y, 4), -METRE, METRE)


def open_space(view: View) -> Place:
    """Ahead of the ball, aside."""
    ahead = jnp.clip(view.ball_x + 4 * METRE, -10 * METRE, LENGTH - 4 * METRE)
    return ahead, jnp.clip(div(view.ball_y, 2) + flank(view) * 4 * METRE, -WIDTH + METRE, WIDTH - METRE)


def to_and_fro(view: View) -> Place:
    """In open space while the side may have the ball, else at an opponent."""
    theirs = (view.owner >= 0) & (view.owner % 2 == 1)
    return jax.tree.map(lambda back, on: jnp.where(theirs, back, on), at_opponent(view), open_space(view))


def at_opponent(view: View) -> Place:
    """Goal side of the nearest opponent who has not the ball."""
    far = distance(view.x - view.x[0], view.y - view.y[0])
    free = view.seen & opponents(view) & (view.owner != jnp.arange(view.game.players))
    one = jnp.argmin(jnp.where(free, far, NOWHERE))
    return view.x[one] - METRE, div(view.y[one] * 7, 8)


def up_front(view: View) -> Place:
    return jnp.asarray(LENGTH - 6 * METRE), div(view.ball_y, 2)


def on_the_wing(view: View) -> Place:
    return jnp.clip(view.ball_x + 3 * METRE, -6 * METRE, LENGTH - 3 * METRE), flank(view) * 7 * METRE


def last_line(view: View) -> Place:
    """Between the ball and the own goal."""
    return div(view.ball_x - LENGTH, 2) - METRE, div(view.ball_y, 3)


def in_formation(view: View) -> Place:
    """The place at kick-off, moved along with the ball."""
    places = jnp.asarray([[round(x * METRE), round(y * METRE)] for x, y in PLACES])[view.seat // 2]
    return places[0] + div(view.ball_x, 2) + 2 * METRE, places[1] + div(view.ball_y, 4)
