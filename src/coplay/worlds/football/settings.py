"""The game object: settings, derived sizes and the protocol's functions."""

from __future__ import annotations

import dataclasses
import math
from functools import cached_property
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import GameError, Step
from coplay.inputs import checked_seat, joint_action
from coplay.worlds.football import actions, encode, rules
from coplay.worlds.football.faces import FACES, FootballFaces
from coplay.worlds.football.pitch import CARRYING, LENGTH, PLACES
from coplay.worlds.football.rules import State
from coplay.worlds.football.symmetry import Mirror
from coplay.worlds.football.view import View, view

Array = jax.Array
FEWEST, MOST = 2, len(PLACES)  # to a side


class Events(NamedTuple):
    """What a step tells besides."""

    illegal: Array  # bool [players]
    shaped: Array  # float32 [players]: how far the ball came towards the other side's goal, 1 for the whole pitch
    deeds: rules.Deeds


@dataclasses.dataclass(frozen=True)
class Football:
    """Two teams, one ball, two halves."""

    per_side: int = 5
    half: int = 200  # steps of a half, a tenth of a second each
    speeds: tuple[int, ...] = (100,)  # per cent of the full pace, of each seat; one number: of all
    dribble: int = CARRYING  # per cent of its pace that a player has with the ball
    noise: tuple[int, ...] = (6,)  # degrees that a kick may stray, of each seat; one number: of all
    sight: int = 0  # metres that a player can see; 0: the whole pitch
    cone: int = 360  # degrees around the way it faces

    name = "football"
    version = 1
    sides = 2
    simultaneous = True
    truncates = False
    num_actions = actions.NUM_ACTIONS
    max_score = None
    players_setting = "per_side"

    @property
    def faces(self) -> FootballFaces:
        return FACES

    def __post_init__(self) -> None:
        _whole(self, "per_side", FEWEST, MOST, "players to a side")
        _whole(self, "half", 1, 10_000, "steps of a half")
        _whole(self, "sight", 0, 100, "metres that a player sees, 0 for the whole pitch")
        _whole(self, "cone", 30, 360, "degrees that a player sees")
        _whole(self, "dribble", 10, 100, "per cent of its pace that a player has with the ball")
        if 0 < self.sight < 2:
            raise GameError("sight=1: a player sees at least 2 metres, so that it sees the ball at its feet.")
        for name, low, high, what in (
            ("speeds", 10, 100, "per cent of the full pace"),
            ("noise", 0, 45, "degrees that a kick may stray"),
        ):
            values = getattr(self, name)
            if len(values) not in (1, self.players):
                raise GameError(
                    f"{name} has {len(values)} numbers; give one for all, or one for each of {self.players}."
                )
            if not all(isinstance(value, int) and low <= value <= high for value in values):
                raise GameError(f"{name}={values}: {what} are whole numbers from {low} to {high}.")

    @property
    def players(self) -> int:
        return 2 * self.per_side

    @property
    def max_steps(self) -> int:
        return 1 + 2 * self.half  # the line-up comes first

    @property
    def observation_shape(self) -> tuple[int, ...]:
        return (encode.size(self.players),)

    @property
    def paces(self) -> np.ndarray:
        """int32 [players]: per cent."""
        return np.broadcast_to(np.asarray(self.speeds, np.int32), (self.players,))

    @property
    def errors(self) -> np.ndarray:
        """int32 [players]: the tangents of the angles that kicks may stray, in 1/1024."""
        tangents = [round(actions.SCALE * math.tan(math.radians(angle))) for angle in self.noise]
        return np.broadcast_to(np.asarray(tangents, np.int32), (self.players,))

    @cached_property
    def symmetries(self) -> Mirror:
        """The match as it is, and in a mirror along the pitch."""
        return Mirror(self)

    def reset(self, key: Array) -> State:
        return rules.start(self, key)

    def step(self, state: State, actions: Array) -> Step:
        """See `Game.step`; all players act at once."""
        after, deeds, illegal = rules.play(self, state, joint_action(actions, self.players))
        reward = (deeds.scored[0].astype(jnp.float32) - deeds.scored[1]).astype(jnp.float32)
        shaped = deeds.progress.astype(jnp.float32) / (2 * LENGTH) * rules.ahead_of(self.players)
        return Step(after, reward, rules.is_over(self, after.time), Events(illegal, shaped, deeds))

    def view(self, state: State, seat: Array | int) -> View:
        """See `Game.view`."""
        return view(self, state, checked_seat(seat, self.players))

    def encode(self, view: View) -> Array:
        """uint8 [entries], see `describe`."""
        return encode.encode(view)

    def legal(self, view: View) -> Array:
        """Kicks with the ball, tackles without it; who stumbled can only stay. At the line-up anything is a sign."""
        return view.legal

    def turn(self, state: State) -> Array:
        """Everybody acts in every step; nobody after the end."""
        return jnp.broadcast_to(~rules.is_over(self, state.time), (self.players,))

    def score(self, state: State) -> Array:
        """int32: by how many goals the first side leads."""
        return state.goals[0] - state.goals[1]

    def relabel(self, state: State, index: Array | int) -> State:
        """The state as it looks under symmetry number `index`."""
        return self.symmetries.state(state, index)

    def change_hidden(self, state: State, seat: Array, key: Array) -> State:
        """A state that differs only in what the seat cannot see, for `check_game`."""
        from coplay.worlds.football.view import change_hidden

        return change_hidden(self, state, seat, key)

    def describe(self, entry: int) -> str:
        """What an entry of the encoding means."""
        return encode.describe(self.players, entry)

    def action_text(self, action: int) -> str:
        """An action id in words."""
        return actions.action_text(action)


def _whole(game: Any, name: str, low: int, high: int, what: str) -> None:
    value = getattr(game, name)
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise GameError(f"{name}={value!r}: {what}, a whole number from {low} to {high}.")
