"""What one player sees: the pitch turned so that it attacks towards larger x, itself first.

Players in a view are relative: 0 is the viewer, then the seats after it in turn; even numbers are mates, odd ones
opponents. Who is out of sight stands at 0 with `seen` False. The score, the clock, the referee's calls and the signs
that were given at the line-up everybody knows.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import div

from coplay.game import brief
from coplay.worlds.football import pitch
from coplay.worlds.football.actions import NUM_ACTIONS, PASS, RUN, STAY, TACKLE, WAY_X, WAY_Y, WAYS
from coplay.worlds.football.rules import NOBODY, State

if TYPE_CHECKING:
    from coplay.worlds.football.settings import Football

Array = jax.Array
OURS, THEIRS = 1, 2  # of a restart; 0: nobody's


@jax.tree_util.register_dataclass
@dataclasses.dataclass(frozen=True)
class View:
    """Lengths in 1/256 metre, speeds in that per step; all int32 but the flags."""

    game: Football = dataclasses.field(metadata={"static": True})
    seat: Array  # the viewer's absolute seat
    time: Array
    goals: Array  # [2]: of the viewer's side, of the other
    x: Array  # [players] each
    y: Array
    vx: Array
    vy: Array
    way: Array  # 0 to 15: where they face
    seen: Array  # bool
    signs: Array
    ball_x: Array
    ball_y: Array
    ball_vx: Array
    ball_vy: Array
    ball_seen: Array  # bool
    owner: Array  # number of the player who has the ball; -1: nobody, or out of sight
    claim: Array  # 1 if the viewer's side alone may take the ball, 2 if the other side
    stun: Array  # steps until the viewer can act
    cool: Array  # steps until the viewer can take the ball again

    @property
    def has_ball(self) -> Array:
        """bool: the viewer has it."""
        return self.owner == 0

    @property
    def legal(self) -> Array:
        """bool [num_actions]: what the viewer may do now."""
        action = np.arange(NUM_ACTIONS)
        runs, kicks = (action >= RUN) & (action < PASS), (action >= PASS) & (action < TACKLE)
        can = runs | (kicks & self.has_ball) | ((action == TACKLE) & ~self.has_ball)
        may = (action == STAY) | (self.time == 0) | (can & (self.stun == 0))
        return may & (self.time < self.game.max_steps)

    @property
    def vector(self) -> Array:
        """The encoded observation, what a network reads."""
        return self.game.encode(self)

    def text(self) -> str:
        """The view in words, for people and language models."""
        from coplay.worlds.football.people.words import view_text

        return view_text(self)

    def __repr__(self) -> str:
        return f"<what seat {brief(self.seat)} sees of a match; .text() tells it>"

    def _repr_svg_(self) -> str:
        from coplay.worlds.football.people.draw import view_svg

        return view_svg(self)


def view(game: Football, state: State, seat: Array | int) -> View:
    """The state as `seat` sees it."""
    seat = jnp.asarray(seat, jnp.int32)
    side = seat % 2
    ahead = 1 - 2 * side
    order = (seat + np.arange(game.players)) % game.players
    body = jax.tree.map(lambda column: column[order], state.bodies)
    ball = state.ball
    seen = in_sight(game, body.x, body.y, body.x[0], body.y[0], body.way[0]).at[0].set(True)
    ball_seen = in_sight(game, ball.x, ball.y, body.x[0], body.y[0], body.way[0]) | (ball.owner == seat)
    turned = jnp.where(seen, (body.way + WAYS // 2 * side) % WAYS, 0)
    number = (ball.owner - seat) % game.players
    known = ball_seen & (ball.owner >= 0) & seen[number]

    def shown(column: Array, flags: Array) -> Array:
        return jnp.where(flags, column * ahead, 0)

    return View(
        game=game,
        seat=seat,
        time=state.time,
        goals=jnp.stack([state.goals[side], state.goals[1 - side]]),
        x=shown(body.x, seen),
        y=shown(body.y, seen),
        vx=shown(body.vx, seen),
        vy=shown(body.vy, seen),
        way=turned,
        seen=seen,
        signs=state.signs[order],
        ball_x=shown(ball.x, ball_seen),
        ball_y=shown(ball.y, ball_seen),
        ball_vx=shown(ball.vx, ball_seen),
        ball_vy=shown(ball.vy, ball_seen),
        ball_seen=ball_seen,
        owner=jnp.where(known, number, NOBODY),
        claim=jnp.where(ball.claim < 0, 0, jnp.where(ball.claim == side, OURS, THEIRS)),
        stun=state.stun[seat],
        cool=state.cool[seat],
    )


def in_sight(game: Football, x: Array, y: Array, own_x: Array, own_y: Array, way: Array) -> Array:
    """bool: is a place within the range and the cone of a player who stands there and faces that way?"""
    away_x, away_y = x - own_x, y - own_y
    visible = jnp.ones(jnp.shape(away_x), bool)
    if game.sight:
        visible = visible & (away_x**2 + away_y**2 <= (game.sight * pitch.METRE) ** 2)
    if game.cone < 360:
        visible = visible & _in_cone(game.cone, div(away_x, 16), div(away_y, 16), way)
    return visible


def _in_cone(cone: int, x: Array, y: Array, way: Array) -> Array:
    """In sixteenths of a metre, so that the squares are no larger than 32 bits."""
    cosine = math.cos(math.radians(cone / 2))
    forward = div(x * jnp.asarray(WAY_X)[way] + y * jnp.asarray(WAY_Y)[way], 64)  # sixteen times the distance ahead
    within = forward**2 >= (x**2 + y**2) * round(256 * cosine**2)
    return (forward >= 0) & within if cone <= 180 else (forward >= 0) | ~within


def change_hidden(game: Football, state: State, seat: Array, key: Array) -> State:
    """Everything that the seat cannot see drawn anew: where unseen players are, and what nobody sees of others."""
    keys = jax.random.split(key, 5)
    players = game.players
    me = np.arange(players) == seat
    own = jax.tree.map(lambda column: column[seat], state.bodies)

    def sight(x: Array, y: Array) -> Array:
        return in_sight(game, x, y, own.x, own.y, own.way)

    x = jax.random.randint(keys[0], (players,), -pitch.LENGTH, pitch.LENGTH + 1)
    y = jax.random.randint(keys[1], (players,), -pitch.WIDTH, pitch.WIDTH + 1)
    hidden = ~sight(state.bodies.x, state.bodies.y) & ~me
    moved = hidden & ~sight(x, y)
    speed = jax.random.randint(keys[2], (players,), -100, 100)
    bodies = state.bodies._replace(
        x=jnp.where(moved, x, state.bodies.x),
        y=jnp.where(moved, y, state.bodies.y),
        vx=jnp.where(hidden, speed, state.bodies.vx),
        vy=jnp.where(hidden, -speed, state.bodies.vy),
        way=jnp.where(hidden, speed % WAYS, state.bodies.way),
    )
    ball = state.ball
    unseen = ~sight(ball.x, ball.y) & (ball.owner != seat)
    away = unseen & ~sight(x[0], y[0])
    ball = ball._replace(
        x=jnp.where(away, x[0], ball.x),
        y=jnp.where(away, y[0], ball.y),
        vx=jnp.where(unseen, speed[0], ball.vx),
        vy=jnp.where(unseen, speed[1], ball.vy),
        owner=jnp.where(unseen, NOBODY, ball.owner),
        last=jax.random.randint(keys[3], (), 0, 2),
    )
    others = jax.random.randint(keys[4], (players,), 0, 5)
    return state._replace(
        bodies=bodies,
        ball=ball,
        stun=jnp.where(me, state.stun, others),
        cool=jnp.where(me, state.cool, others),
        luck=jax.random.bits(keys[3], dtype=jnp.uint32),
    )
