"""A person plays football in the terminal, with players of any kind as mates and opponents."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Group, RenderableType
from rich.text import Text

from coplay.game import GameError
from coplay.rollouts.episode import Episodes
from coplay.rollouts.people.keyboard import ReadKey, has_keys, keyboard
from coplay.rollouts.people.person import Partners, Quit, record, screen, seat_partners, speaker
from coplay.rollouts.seeds import derive
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
    """Plays one match with a person in `seat` and the partners in the others, in order of seat.

    The match waits for keys, four steps for each, unless `speed` says how many steps pass in a second. The others'
    random choices are those of game 0 of `coplay.play` with the same seed.
    """
    if speed is not None and not 0 < speed <= 60:
        raise GameError(f"speed={speed}: give the steps per second, above 0 and at most 60, or none to wait for keys.")
    if speed is not None and read_key is None and not has_keys():
        raise GameError("speed needs a terminal that sends single keys; leave it out, then the match waits for keys.")
    others = seat_partners(game, partners, seat, seed)
    by_seat = {partner.seat: partner.name for partner in others}
    names = [by_seat.get(one, "you") for one in range(game.players)]
    start = state = game.reset(jax.random.fold_in(derive(seed, "deal"), 0))
    actions: list[tuple[int, ...]] = []
    with keyboard() if read_key is None else nullcontext(read_key) as read, screen(output) as show:
        person = Person(names, read, show, speed)
        try:
            while bool(game.turn(state).any()):
                view = _view(game, state, jnp.int32(seat))
                chosen = {partner.seat: partner.choose(state, len(actions)) for partner in others}
                chosen[seat] = person.choose(view)
                joint = tuple(int(chosen[other] or 0) for other in range(game.players))
                actions.append(joint)
                state = _step(game, state, jnp.asarray(joint, jnp.int32))
        except Quit:
            pass
    finished = not bool(game.turn(state).any())
    goals = int(state.goals[0]), int(state.goals[1])
    say = speaker(output)
    say(state_terminal(game, state, names, seat))
    result = f"{TEAMS[0]} {goals[0]} : {goals[1]} {TEAMS[1]}"
    say(f"Full time: {result}." if finished else f"You left at {result}.")
    return Match(finished, goals, record(game, others, start, actions, float(game.score(state))))


class Person:
    """Somebody at the keyboard."""

    def __init__(
        self, names: Sequence[str], read: ReadKey, show: Callable[[RenderableType], None], speed: float | None
    ) -> None:
        self.names, self.read, self.show, self.speed = names, read, show, speed
        self.note = "You attack to the right. Arrows run, p passes, g shoots at the goal, t tackles, ? helps, x leaves."
        self.runs = STAY  # what goes on until another key
        self.left = 0  # steps that the last key still plays

    def choose(self, view: View) -> int:
        """The action of a step: of a key, or what goes on."""
        if int(view.time) == 0:
            return STAY
        if self.speed is None and self.left > 0:
            self.left -= 1
            return self._legal(view, self.runs)
        self.show(Group(view_terminal(view, self.names), Text(self.note)))
        action = self._wait(view) if self.speed is None else self._listen(view, 1 / self.speed)
        if RUN <= action < PASS or action == STAY:
            self.runs = action
        return self._legal(view, action)

    def _wait(self, view: View) -> int:
        action = None
        while action is None:
            action = self._meant(self._key(None), view)
        self.left = AT_ONCE - 1
        return action

    def _listen(self, view: View, seconds: float) -> int:
        """The last key before the clock ticks."""
        action, deadline = self.runs, time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            key = self._key(left)
            if key is None:
                break
            meant = self._meant(key, view)
            action = action if meant is None else meant
        return action

    def _meant(self, key: str | None, view: View) -> int | None:
        """The action of a key, if it is one."""
        if key is None or key == "":
            return None
        key = key.lower()
        if key == "x":
            raise Quit
        facing = int(view.way[0])
        known = {".": STAY, "t": TACKLE, "p": PASS + facing, "k": SHOOT + facing, "g": int(shot(view)[0])}
        known |= {name: RUN + way for name, way in RUNS.items()}
        if key not in known:
            self.note = HELP if key == "?" else f"{key!r} does nothing here; ? helps, x leaves."
            self.show(Group(view_terminal(view, self.names), Text(self.note)))
            return None
        action = known[key]
        if not bool(view.legal[action]):
            self.note = f"You cannot {action_text(action)} now."
        return action

    def _legal(self, view: View, action: int) -> int:
        """What cannot be done now is not done."""
        return action if bool(np.asarray(view.legal)[action]) else STAY

    def _key(self, timeout: float | None) -> str | None:
        try:
            return self.read(timeout)
        except (EOFError, KeyboardInterrupt):
            raise Quit from None


@eqx.filter_jit
def _step(game: Football, state: State, actions: jax.Array) -> State:
    return game.step(state, actions).state


@eqx.filter_jit
def _seen(game: Football, state: State, seat: jax.Array) -> View:
    return game.view(state, seat)


def _view(game: Football, state: State, seat: jax.Array) -> View:
    return jax.device_get(_seen(game, state, seat))


class _Terminal:
    """Football's face for `coplay play` and `coplay replay`."""

    def frame(self, game: Football, state: State, names: Sequence[str]) -> RenderableType:
        return state_terminal(game, state, names)

    def play(self, game: Football, partner: str, seat: int, seed: int, speed: float | None) -> Episodes:
        return play_football(game, partner or "supporter", seat, seed, speed).episodes


TERMINAL = _Terminal()
