"""A scripted player: who goes for the ball, where it stands otherwise, what it does with the ball."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.player import AgentError
from coplay.worlds.football import Football, View
from coplay.worlds.football.actions import PASS, RUN, SIGNS, STAY, TACKLE, action_of_sign
from coplay.worlds.football.bots.ball import solo
from coplay.worlds.football.bots.geometry import distance, mates, run_to
from coplay.worlds.football.bots.places import Place, known, nearest_of_known
from coplay.worlds.football.pitch import TACKLE_REACH
from coplay.worlds.football.view import THEIRS

Array = jax.Array


class Role(NamedTuple):
    """What makes one player different from another."""

    name: str
    goes: Callable[[View], Array]  # bool: for the ball
    stands: Callable[[View], Place]  # where, if it does not
    plays: Callable[[View], Array]  # an action, with the ball at its feet
    own_game: str = ""  # what one is called who is selfish; such a role may be


def _number(value: Any) -> np.ndarray:
    """Data of a player, not part of its program: players of one role that differ in numbers are compiled once."""
    return np.asarray(value, np.int32)


class Footballer(eqx.Module):
    """Plays a role, as fast as it may, and gives a sign at the line-up."""

    game: Game = eqx.field(static=True)
    role: Role = eqx.field(static=True)
    speed: Any = eqx.field(converter=_number, default=100)  # per cent of the steps in which it runs if it wants to
    sign: Any = eqx.field(converter=_number, default=0)
    # Among mates without its sign: 1: it does not give way to them; 2: it does not kick the ball on to them either.
    selfish: Any = eqx.field(converter=_number, default=0)
    hears = "own"

    def __check_init__(self) -> None:
        if not isinstance(self.game, Football):
            raise AgentError(f"{self.role.name} plays football, not {self.game.name}.")
        if not 1 <= self.speed <= 100:
            raise AgentError(f"{self.role.name}: speed={self.speed}; give per cent, from 1 to 100.")
        if not 0 <= self.sign < SIGNS:
            raise AgentError(f"{self.role.name}: sign={self.sign}; signs are 0 (none) to {SIGNS - 1}.")

    @property
    def name(self) -> str:
        name = self.role.own_game if self.selfish else self.role.name
        options = [f"speed={self.speed}"] if self.speed != 100 else []
        options += ["keeps=false"] if self.selfish == 1 else []
        return f"{name}?{'&'.join(options)}" if options else name

    def start(self) -> None:
        return None

    def act(self, memory: None, view: View, key: Array) -> tuple[None, Array]:
        del key
        plays, goes = self.role.plays(view), self.role.goes(view)
        if self.role.own_game:
            alone = (self.selfish > 0) & (mates(view) & ~known(view)).any()
            plays = jnp.where(alone & (self.selfish > 1), solo(view), plays)
            goes = jnp.where(alone, nearest_of_known(view), goes)
        wanted = jnp.where(view.has_ball, plays, self._without_ball(view, goes))
        # Of a hundred steps it runs in so many, evenly spread: the speed of a runner is what it is pushed on average.
        rests = (view.time * self.speed) % 100 >= self.speed
        runs = (wanted >= RUN) & (wanted < PASS)
        wanted = jnp.where((runs & rests) | (view.stun > 0), STAY, wanted)
        sign = jnp.asarray([action_of_sign(sign) for sign in range(SIGNS)])[self.sign]
        return memory, jnp.where(view.time == 0, sign, wanted).astype(jnp.int32)

    def _without_ball(self, view: View, goes: Array) -> Array:
        goes = goes & (view.claim != THEIRS)
        waits = run_to(view, *self.role.stands(view))
        searches = RUN + (view.time // 8) % 8  # looks around
        return jnp.where(view.ball_seen, jnp.where(goes, _win_ball(view), waits), searches)


def _win_ball(view: View) -> Array:
    """To where the ball will be, and a tackle where an opponent has it."""
    theirs = (view.owner >= 0) & (view.owner % 2 == 1)
    away_x, away_y = view.x[view.owner] - view.x[0], view.y[view.owner] - view.y[0]
    near = distance(away_x, away_y) < TACKLE_REACH
    chases = run_to(view, view.ball_x + 4 * view.ball_vx, view.ball_y + 4 * view.ball_vy)
    return jnp.where(theirs & near, TACKLE, chases)
