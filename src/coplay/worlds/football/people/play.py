"""A person plays football in the terminal, with players of any kind as mates and opponents."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from rich.console import RenderableType

from coplay.rollouts.episode import Episodes
from coplay.rollouts.people.at_keys import Hands, last_words, play_at_keys
from coplay.rollouts.people.keyboard import ReadKey
from coplay.rollouts.people.person import Partners
from coplay.worlds.football import Football, State, View
from coplay.worlds.football.actions import PASS, RUN, SHOOT, STAY, TACKLE, action_text
from coplay.worlds.football.bots.geometry import shot
from coplay.worlds.football.people.scene import TEAMS
from coplay.worlds.football.people.terminal import state_terminal, view_terminal

RUNS = {
    "right": 0,
    "down": 2,
    "left": 4,
    "up": 6,
    "d": 0,
    "c": 1,
    "s": 2,
    "y": 3,
    "z": 3,
    "a": 4,
    "q": 5,
    "w": 6,
    "e": 7,
}
HELP = """  arrows, or w a s d with q e c z between them   run that way, and on
  .   let it roll          t   tackle
  p   pass the way you face
  k   shoot the way you face          g   shoot at the goal
  ?   this help          x   leave"""
AT_ONCE = 4  # steps that a key plays where the match waits for keys


class Match(NamedTuple):
    """How a person's match went."""

    finished: bool
    goals: tuple[int, int]
    episodes: Episodes  # the match as it was played


def play_football(
    game: Football,
    partners: Partners,
    seat: int = 0,
    seed: int = 0,
    speed: float | None = None,
    read_key: ReadKey | None = None,
    output: Callable[[str], Any] = print,
) -> Match:
    """Plays one match with a person in `seat` and the partners in the others, as `play_at_keys` does; where the match
    waits for keys, each plays four steps."""
    sat = play_at_keys(game, partners, Person, seat, seed, speed, read_key, output)
    goals = int(sat.state.goals[0]), int(sat.state.goals[1])
    result = f"{TEAMS[0]} {goals[0]} : {goals[1]} {TEAMS[1]}"
    text = f"Full time: {result}." if sat.finished else f"You left at {result}."
    last_words(output, state_terminal(game, sat.state, sat.names, seat), text)
    return Match(sat.finished, goals, sat.episodes)


class Person(Hands):
    """Somebody at the keyboard: a run goes on until another key."""

    leave = "x"
    help = HELP
    note = "You attack to the right. Arrows run, p passes, g shoots at the goal, t tackles, ? helps, x leaves."
    runs = STAY  # what goes on
    left = 0  # steps that the last key still plays

    def picture(self, state: State) -> RenderableType:
        return view_terminal(self._view(state), self.names)

    def unasked(self, state: State) -> int | None:
        if int(state.time) == 0:
            return STAY
        if self.left == 0:
            return None
        self.left -= 1
        return self.runs

    def meant(self, key: str, state: State) -> int | None:
        view = self._view(state)
        facing = int(view.way[0])
        known = {".": STAY, "t": TACKLE, "p": PASS + facing, "k": SHOOT + facing, "g": int(shot(view)[0])}
        known |= {name: RUN + way for name, way in RUNS.items()}
        action = known.get(key)
        if action is None:
            return None
        if not bool(view.legal[action]):
            self.note = f"You cannot {action_text(action)} now."
        if RUN <= action < PASS or action == STAY:
            self.runs = action
        self.left = AT_ONCE - 1 if self.waits else 0
        return action

    def idle(self) -> int:
        return self.runs

    def chosen(self, action: int, state: State) -> int:
        """What cannot be done now is not done."""
        return action if bool(np.asarray(self._view(state).legal)[action]) else STAY

    def _view(self, state: State) -> View:
        return jax.device_get(_seen(self.game, state, jnp.int32(self.seat)))


@eqx.filter_jit
def _seen(game: Football, state: State, seat: jax.Array) -> View:
    return game.view(state, seat)


class _Terminal:
    """Football's face for `coplay play` and `coplay replay`."""

    def frame(self, game: Football, state: State, names: Sequence[str]) -> RenderableType:
        return state_terminal(game, state, names)

    def play(self, game: Football, partner: str, seat: int, seed: int, speed: float | None) -> Episodes:
        return play_football(game, partner or "supporter", seat, seed, speed).episodes


TERMINAL = _Terminal()
