"""One step of a match: everybody moves at once, then the ball, then whoever can takes it.

All numbers are whole, and every division rounds towards zero, so that a mirrored match is the mirror image to the last
bit. `State` has the pitch as it is, where the first side attacks towards larger x; actions are seen by the player.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.lax import div

from coplay.game import brief
from coplay.worlds.football import chance, pitch
from coplay.worlds.football.actions import NUM_ACTIONS, SCALE, STAY, WAY_X, WAY_Y, WAYS, Moves, sign_of_action

if TYPE_CHECKING:
    from coplay.worlds.football.settings import Football

Array = jax.Array
NOBODY = -1


class Bodies(NamedTuple):
    """Where players are and how they move; int32 [players] each."""

    x: Array
    y: Array
    vx: Array  # a step
    vy: Array
    way: Array  # they face, on the pitch


class Ball(NamedTuple):
    """int32 each."""

    x: Array
    y: Array
    vx: Array
    vy: Array
    owner: Array  # the seat that has it, or NOBODY
    last: Array  # the side that touched it last
    claim: Array  # the side that alone may take it, or NOBODY
    free: Array  # steps until everybody may


class State(NamedTuple):
    """A match between two steps."""

    time: Array  # int32: steps played; the first is the line-up
    goals: Array  # int32 [2]
    bodies: Bodies
    ball: Ball
    stun: Array  # int32 [players]: steps until it can act again
    cool: Array  # int32 [players]: steps until it can take the ball again
    signs: Array  # int32 [players]: given at the line-up
    opener: Array  # int32: the side that kicks off first
    luck: Array  # uint32: all chance of the match follows from it
    mirror: Array  # int32: 1, or -1 if chance falls to the other hand

    def __repr__(self) -> str:
        return f"<Football state: time {brief(self.time)}, goals {brief(self.goals)}, owner {brief(self.ball.owner)}>"


class Deeds(NamedTuple):
    """What a step did besides."""

    scored: Array  # bool [2]: a goal of this side
    out: Array  # bool: the ball left the pitch otherwise
    tackled: Array  # bool [players]: won the ball by a tackle
    lost: Array  # bool [players]: was jostled off the ball
    took: Array  # bool [players]: took a free ball
    progress: Array  # int32: how much nearer the ball came to the second side's goal line


def side_of(players: int) -> np.ndarray:
    """int32 [players]"""
    return np.arange(players, dtype=np.int32) % 2


def ahead_of(players: int) -> np.ndarray:
    """int32 [players]: 1 where larger x is forward, -1 where it is backward."""
    return 1 - 2 * side_of(players)


def start(game: Football, key: Array) -> State:
    """The line-up before the first kick-off."""
    luck = jax.random.bits(key, dtype=jnp.uint32)
    opener = (luck & jnp.uint32(1)).astype(jnp.int32)
    nothing = jnp.zeros(game.players, jnp.int32)
    time, mirror = jnp.zeros((), jnp.int32), jnp.ones((), jnp.int32)
    bodies, ball = kick_off(game, opener, luck, time, mirror)
    goals = jnp.zeros(2, jnp.int32)
    return State(time, goals, bodies, ball, nothing, nothing, nothing, opener, luck, mirror)


def kick_off(game: Football, side: Array, luck: Array, time: Array, mirror: Array) -> tuple[Bodies, Ball]:
    """Everybody in place, give or take a little; the ball is the side's."""
    players, ahead = game.players, ahead_of(game.players)
    own_x, own_y = pitch.formation(players)
    shift_x, shift_y = (
        chance.around_zero(chance.bits(luck, time, use, players), pitch.SHIFT)
        for use in (chance.SHIFT_X, chance.SHIFT_Y)
    )
    first = np.arange(players) == side  # seats 0 and 1 are the first of their sides
    own_x = jnp.where(first, round(pitch.AT_THE_BALL[0] * pitch.METRE), own_x + shift_x)
    own_y = jnp.where(first, 0, own_y + shift_y) * mirror
    still = jnp.zeros(players, jnp.int32)
    way = jnp.asarray(side_of(players) * (WAYS // 2), jnp.int32)
    zero = jnp.zeros_like(side)
    ball = Ball(zero, zero, zero, zero, owner=zero + NOBODY, last=side, claim=side, free=zero + pitch.FREE)
    return Bodies(own_x * ahead, own_y * ahead, still, still, way), ball


def is_over(game: Football, time: Array) -> Array:
    return time >= game.max_steps


def play(game: Football, state: State, actions: Array) -> tuple[State, Deeds, Array]:
    """The next state, what was done, and whose actions were illegal (then nothing happens)."""
    over = is_over(game, state.time)
    illegal = ~_may(state, actions) & ~over
    accepted = ~over & ~illegal.any()
    lines_up = state.time == 0
    after, deeds = _step(game, state, Moves.of(actions))
    lined_up = state._replace(time=state.time + 1, signs=sign_of_action(actions))
    after = jax.tree.map(lambda first, later: jnp.where(lines_up, first, later), lined_up, after)
    after = jax.tree.map(lambda old, new: jnp.where(accepted, new, old), state, after)
    happened = accepted & ~lines_up
    return after, jax.tree.map(lambda deed: jnp.where(happened, deed, jnp.zeros_like(deed)), deeds), illegal


def _may(state: State, actions: Array) -> Array:
    """bool [players]: who may do what it wants to do."""
    exists = (actions >= 0) & (actions < NUM_ACTIONS)
    moves = Moves.of(actions)
    has = _has(state.ball, actions.shape[0])
    can = moves.runs | ((moves.passes | moves.shoots) & has) | (moves.tackles & ~has)
    return exists & ((actions == STAY) | (state.time == 0) | (can & (state.stun == 0)))


def _has(ball: Ball, players: int) -> Array:
    return ball.owner == np.arange(players)


def _step(game: Football, state: State, moves: Moves) -> tuple[State, Deeds]:
    """A step of play, whatever the clock says."""
    time, luck = state.time, state.luck
    bodies = _run(game, state, moves)
    ball, kicked = _carry(game, state, moves, bodies)
    stun, cool = jnp.maximum(state.stun - 1, 0), jnp.maximum(state.cool - 1, 0)
    cool = jnp.where(kicked, pitch.HANDS_OFF, cool)
    ball, tackled, vain, robbed, jostled = _challenge(game, state, moves, bodies, ball)
    stun = jnp.where(vain, pitch.STUMBLE, jnp.where(robbed, pitch.TACKLED, stun))
    cool = jnp.where(robbed | jostled, pitch.HANDS_OFF, cool)
    ball, scored, out = _referee(state.mirror, ball)
    ball, took = _take(game, state, bodies, ball, stun, cool)
    goal = scored.any()
    halves = time == game.half
    kicks_off = jnp.where(goal, jnp.where(scored[0], 1, 0), 1 - state.opener)
    anew_bodies, anew_ball = kick_off(game, kicks_off, luck, time + 1, state.mirror)
    anew = goal | halves
    before, ball_x = state.ball.x, ball.x
    bodies, ball = jax.tree.map(lambda a, b: jnp.where(anew, a, b), (anew_bodies, anew_ball), (bodies, ball))
    after = state._replace(
        time=time + 1,
        goals=state.goals + scored,
        bodies=bodies,
        ball=ball,
        stun=jnp.where(anew, 0, stun),
        cool=jnp.where(anew, 0, cool),
    )
    progress = jnp.where(out | halves, 0, jnp.clip(ball_x, -pitch.LENGTH, pitch.LENGTH) - before)
    return after, Deeds(scored, out, tackled, jostled, took & ~anew, progress)


def _run(game: Football, state: State, moves: Moves) -> Bodies:
    """Everybody a step further: momentum, and a push in the way one runs."""
    players, bodies = game.players, state.bodies
    has = _has(state.ball, players)
    way = _on_the_pitch(moves.way, players)
    pace = game.paces * jnp.where(has, game.dribble, 100)
    push = [div(table * pitch.PUSH * div(pace, 10), SCALE * 1000) for table in (_at(WAY_X, way), _at(WAY_Y, way))]
    vx, vy = (
        jnp.where(state.stun > 0, div(v, 2), div(v * 3, 4) + jnp.where(moves.runs, p, 0))
        for v, p in zip((bodies.vx, bodies.vy), push, strict=True)
    )
    wide, high = pitch.LENGTH + pitch.MARGIN, pitch.WIDTH + pitch.MARGIN
    turns = moves.runs | moves.passes | moves.shoots
    return Bodies(
        x=jnp.clip(bodies.x + vx, -wide, wide),
        y=jnp.clip(bodies.y + vy, -high, high),
        vx=vx,
        vy=vy,
        way=jnp.where(turns, way, bodies.way),
    )


def _on_the_pitch(way: Array, players: int) -> Array:
    """A way as the player sees it -> on the pitch."""
    return (way + WAYS // 2 * side_of(players)) % WAYS


def _at(table: np.ndarray, way: Array) -> Array:
    """The entry of a table of all ways."""
    return jnp.asarray(table)[way]


def _of(seat: Array, column: Array | np.ndarray) -> Array:
    """The entry of a seat; 0 for NOBODY."""
    return jnp.where(seat >= 0, jnp.asarray(column)[jnp.maximum(seat, 0)], 0)


def _carry(game: Football, state: State, moves: Moves, bodies: Bodies) -> tuple[Ball, Array]:
    """The ball at somebody's feet, kicked, or rolling; and bool [players] who kicked it."""
    ball, owner = state.ball, state.ball.owner
    held, shoots = owner >= 0, _of(owner, moves.shoots).astype(bool)
    kicks = shoots | _of(owner, moves.passes).astype(bool)
    x, y, vx, vy, way = (_of(owner, column) for column in bodies)
    way_x, way_y = _at(WAY_X, way), _at(WAY_Y, way)
    feet_x, feet_y = x + div(way_x * pitch.AT_FEET, SCALE), y + div(way_y * pitch.AT_FEET, SCALE)
    wobble = chance.around_zero(chance.bits_of(state.luck, state.time, chance.WOBBLE, owner), SCALE)
    error = div(wobble * _of(owner, game.errors), SCALE) * state.mirror
    speed = jnp.where(shoots, pitch.SHOT_SPEED, pitch.PASS_SPEED)
    kick_x = div((way_x - div(way_y * error, SCALE)) * speed, SCALE) + div(vx, 2)
    kick_y = div((way_y + div(way_x * error, SCALE)) * speed, SCALE) + div(vy, 2)
    roll_x, roll_y = div(ball.vx * 15, 16), div(ball.vy * 15, 16)
    kicked = _has(ball, game.players) & kicks
    return ball._replace(
        x=jnp.where(held, feet_x, ball.x + roll_x),
        y=jnp.where(held, feet_y, ball.y + roll_y),
        vx=jnp.where(kicks, kick_x, jnp.where(held, vx, roll_x)),
        vy=jnp.where(kicks, kick_y, jnp.where(held, vy, roll_y)),
        owner=jnp.where(kicks, NOBODY, owner),
        last=jnp.where(held, owner % 2, ball.last),
        free=jnp.maximum(ball.free - 1, 0),
        claim=jnp.where(ball.free > 1, ball.claim, NOBODY),
    ), kicked


def _challenge(
    game: Football, state: State, moves: Moves, bodies: Bodies, ball: Ball
) -> tuple[Ball, Array, Array, Array, Array]:
    """Tackles, and who crowds the player with the ball; bool [players] who won it by a tackle, tackled in vain, lost it
    to a tackle, was jostled off it."""
    players, time, luck = game.players, state.time, state.luck
    seats, had = np.arange(players), ball.owner
    has = _has(ball, players)
    away_x, away_y = bodies.x - _of(had, bodies.x), bodies.y - _of(had, bodies.y)
    distance = away_x**2 + away_y**2
    rivals = (had >= 0) & ~has
    near = rivals & (distance <= pitch.TACKLE_REACH**2) & (side_of(players) != had % 2)
    wins = moves.tackles & near & chance.happens(luck, time, chance.TACKLE, players, pitch.TACKLE_CHANCE)
    crowds = rivals & (distance <= pitch.BODY**2)
    jostles = crowds & chance.happens(luck, time, chance.JOSTLE, players, pitch.JOSTLE_CHANCE)
    # Several may win; chance says which, and jostling counts where nobody does: one number for all, the highest.
    rank = 16 * (1 + chance.below(chance.bits(luck, time, chance.WHICH, players), 4096)) + seats
    best = jnp.where(wins, rank, jnp.where(jostles, 0, NOBODY)).max()
    won, jostled, winner = best > 0, best == 0, best % 16
    way = chance.below(chance.bits_of(luck, time, chance.LOOSE, jnp.uint32(0)), WAYS)
    ball = ball._replace(
        owner=jnp.where(won, winner, jnp.where(jostled, NOBODY, had)),
        last=jnp.where(won, winner % 2, ball.last),
        vx=jnp.where(jostled, div(_at(WAY_X, way) * pitch.LOOSE_SPEED, SCALE), ball.vx),
        vy=jnp.where(jostled, div(_at(WAY_Y, way) * pitch.LOOSE_SPEED, SCALE) * state.mirror, ball.vy),
    )
    tackled = won & (seats == winner)
    return ball, tackled, moves.tackles & ~tackled, has & won, has & jostled


def _referee(mirror: Array, ball: Ball) -> tuple[Ball, Array, Array]:
    """Goals, and where play goes on if the ball went out: (ball, bool [2] who scored, bool went out)."""
    beyond = jnp.abs(ball.x) - pitch.LENGTH
    past = beyond > 0
    crossed = ball.y - div(ball.vy * beyond, jnp.maximum(jnp.abs(ball.vx), 1))  # where it crossed the goal line
    goal = past & (jnp.abs(jnp.where(ball.owner >= 0, ball.y, crossed)) <= pitch.GOAL)
    end = (ball.x < 0).astype(jnp.int32)  # 1: the end that the first side defends, so the second scores there
    scored = goal & (np.arange(2) == end)
    wide = ~past & (jnp.abs(ball.y) > pitch.WIDTH)
    out = (past & ~goal) | wide
    defends = 1 - end
    claim = 1 - ball.last
    corner = past & (ball.last == defends)
    sign_x, sign_y = jnp.sign(ball.x), jnp.where(ball.y == 0, mirror, jnp.sign(ball.y))
    kick_x = jnp.where(corner, pitch.LENGTH, pitch.LENGTH - 3 * pitch.METRE) * sign_x
    placed = Ball(
        x=jnp.where(wide, ball.x, kick_x),
        y=jnp.where(wide | corner, pitch.WIDTH * sign_y, 0),
        vx=jnp.zeros_like(ball.x),
        vy=jnp.zeros_like(ball.x),
        owner=jnp.full_like(ball.owner, NOBODY),
        last=ball.last,
        claim=claim,
        free=jnp.full_like(ball.free, pitch.FREE),
    )
    return jax.tree.map(lambda new, old: jnp.where(out, new, old), placed, ball), scored, out


def _take(game: Football, state: State, bodies: Bodies, ball: Ball, stun: Array, cool: Array) -> tuple[Ball, Array]:
    """Whoever is nearest takes a free ball; bool [players] who did."""
    players, time, luck = game.players, state.time, state.luck
    distance = (bodies.x - ball.x) ** 2 + (bodies.y - ball.y) ** 2
    fast = ball.vx**2 + ball.vy**2 > pitch.FAST**2
    catches = ~fast | chance.happens(luck, time, chance.CATCH, players, pitch.CATCH_CHANCE)
    allowed = (ball.claim < 0) | (ball.claim == side_of(players))
    can = (ball.owner < 0) & allowed & catches & (distance <= pitch.REACH**2) & (stun == 0) & (cool == 0)
    # Of those who are equally near chance takes one; the seat is in the last four bits.
    luck_of = chance.below(chance.bits(luck, time, chance.WHICH, players), 1000) * 16 + np.arange(players)
    nobody = np.iinfo(np.int32).max
    best = jnp.where(can, distance * 16000 + luck_of, nobody).min()
    taken, taker = best < nobody, best % 16
    return ball._replace(
        owner=jnp.where(taken, taker, ball.owner),
        last=jnp.where(taken, taker % 2, ball.last),
        claim=jnp.where(taken, NOBODY, ball.claim),
        vx=jnp.where(taken, 0, ball.vx),
        vy=jnp.where(taken, 0, ball.vy),
    ), taken & (np.arange(players) == taker)
