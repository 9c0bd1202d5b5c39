"""A person cooks in the terminal with partners of any kind."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
from rich.console import Group, RenderableType
from rich.text import Text

from coplay.game import GameError
from coplay.rollouts.episode import Episodes
from coplay.rollouts.people.keyboard import ReadKey, has_keys, keyboard
from coplay.rollouts.people.person import Partner, Partners, Quit, record, screen, seat_partners, speaker
from coplay.rollouts.seeds import derive
from coplay.worlds.overcooked import Overcooked, State
from coplay.worlds.overcooked.people.terminal import state_terminal
from coplay.worlds.overcooked.rules import ACTIONS, EAST, INTERACT, NORTH, SOUTH, STAY, WEST

KEYS = {"up": NORTH, "down": SOUTH, "right": EAST, "left": WEST, "w": NORTH, "s": SOUTH, "d": EAST, "a": WEST}
KEYS |= {" ": INTERACT, "e": INTERACT, ".": STAY}
HELP = """  arrows or w a s d   turn and walk; what blocks you is faced
  space or e          use what you face: take, put down, fill the pot, plate, serve
  .                   wait one step
  ?                   this help
  q                   leave"""
HELP_NEW = "\n  Here a pot cooks once you use it with empty hands."


class Shift(NamedTuple):
    """How a person's time in the kitchen went."""

    finished: bool
    score: int
    actions: tuple[tuple[int, ...], ...]  # joint actions, by seat
    episodes: Episodes  # the game as it was played


def play_overcooked(
    game: Overcooked,
    partners: Partners,
    seat: int = 0,
    seed: int = 0,
    speed: float | None = None,
    read_key: ReadKey | None = None,
    output: Callable[[str], Any] = print,
) -> Shift:
    """Plays one game with a person in `seat` and the partners in the others, in order of seat.

    Every key is a step and the kitchen waits for it, unless `speed` says how many steps pass in a second. The partners'
    random choices are those of game 0 of `coplay.play` with the same seed.
    """
    if speed is not None and not 0 < speed <= 60:
        raise GameError(f"speed={speed}: give the steps per second, above 0 and at most 60, or none to wait for keys.")
    if speed is not None and read_key is None and not has_keys():
        raise GameError("speed needs a terminal that sends single keys; leave it out, then every key is a step.")
    others = seat_partners(game, partners, seat, seed)
    names = ["you" if other == seat else _name(others, other) for other in range(game.players)]
    start = state = game.reset(jax.random.fold_in(derive(seed, "deal"), 0))
    actions: list[tuple[int, ...]] = []
    with keyboard() if read_key is None else nullcontext(read_key) as read, screen(output) as show:
        cook = Cook(game, seat, names, read, show, speed)
        try:
            while not bool(state.time >= game.horizon):
                chosen = {partner.seat: partner.choose(state, len(actions)) for partner in others}
                chosen[seat] = cook.choose(state)
                joint = tuple(int(chosen[other] or 0) for other in range(game.players))
                before, state = state, _step(game, state, jnp.asarray(joint, jnp.int32))
                actions.append(joint)
                cook.note = _story(names, joint, int(state.score) - int(before.score))
        except Quit:
            pass
    finished = bool(state.time >= game.horizon)
    say = speaker(output)
    say(state_terminal(game, state, names))
    say(f"Final score: {int(state.score)}." if finished else f"You left at {int(state.score)} points.")
    score = int(state.score)
    return Shift(finished, score, tuple(actions), record(game, others, start, actions, score))


class Cook:
    """The person at the keyboard."""

    def __init__(
        self,
        game: Overcooked,
        seat: int,
        names: Sequence[str],
        read: ReadKey,
        show: Callable[[RenderableType], None],
        speed: float | None,
    ) -> None:
        self.game, self.seat, self.names, self.read, self.show, self.speed = game, seat, names, read, show, speed
        self.note = "Arrows walk, space uses what you face, . waits, ? helps, q leaves."

    def choose(self, state: State) -> int:
        """Shows the kitchen and returns the next action: of the next key, or of the last one before the clock ticks."""
        self._draw(state)
        if self.speed is None:
            action = None
            while action is None:
                action = self._act(self._key(None), state)
            return action
        action, deadline = STAY, time.monotonic() + 1 / self.speed
        while (left := deadline - time.monotonic()) > 0:
            key = self._key(left)
            if key is None:
                break
            pressed = self._act(key, state)
            action = action if pressed is None else pressed
        return action

    def _act(self, key: str | None, state: State) -> int | None:
        """The action of a key, if it is one; other keys change nothing in the kitchen."""
        if key is None:
            return None
        if key in ("q", "Q"):
            raise Quit
        action = KEYS.get(key.lower())
        if action is None:
            known = HELP + (HELP_NEW if self.game.dynamics == "new" else "")
            self.note = known if key == "?" else f"{key!r} does nothing here; ? helps, q leaves." if key else self.note
            self._draw(state)
        return action

    def _key(self, timeout: float | None) -> str | None:
        try:
            return self.read(timeout)
        except (EOFError, KeyboardInterrupt):
            raise Quit from None

    def _draw(self, state: State) -> None:
        self.show(Group(state_terminal(self.game, state, self.names, you=self.seat), Text(self.note)))


def _name(partners: Sequence[Partner], seat: int) -> str:
    return next(partner.name for partner in partners if partner.seat == seat)


def _story(names: Sequence[str], joint: Sequence[int], points: int) -> str:
    """What everybody just did."""
    deeds = ", ".join(f"{name}: {ACTIONS[action]}" for name, action in zip(names, joint, strict=True))
    return f"{deeds}.  +{points}!" if points else f"{deeds}."


@eqx.filter_jit
def _step(game: Overcooked, state: State, actions: jax.Array) -> State:
    return game.step(state, actions).state


class _Terminal:
    """The kitchens' face for `coplay play` and `coplay replay`."""

    def frame(self, game: Overcooked, state: State, names: Sequence[str]) -> RenderableType:
        return state_terminal(game, state, names)

    def play(self, game: Overcooked, partner: str, seat: int, seed: int, speed: float | None) -> Episodes:
        return play_overcooked(game, partner or "hand-over-cook", seat, seed, speed).episodes


TERMINAL = _Terminal()
