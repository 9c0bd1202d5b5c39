"""A person at the keyboard in a game where all move at once: keys are moves, and time waits for them or goes on.

What a key means and what is shown, a world knows: it brings `Hands`.
"""

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

from coplay.game import Game, GameError
from coplay.rollouts.episode import Episodes
from coplay.rollouts.people.keyboard import ReadKey, has_keys, keyboard
from coplay.rollouts.people.person import Partners, Quit, record, screen, seat_partners, speaker
from coplay.rollouts.seeds import derive


class Hands:
    """A person's, as a world fills them in: its pictures, and what its keys mean."""

    leave = "q"  # the key that ends it
    help = ""
    note = ""  # the line under the picture

    def __init__(self, game: Any, seat: int, names: Sequence[str], waits: bool) -> None:
        self.game, self.seat, self.names = game, seat, names
        self.waits = waits  # does the game wait for keys?

    def picture(self, state: Any) -> RenderableType:
        raise NotImplementedError

    def unasked(self, state: Any) -> int | None:
        """The action of a step in which nobody is asked; None: the person is."""
        return None

    def meant(self, key: str, state: Any) -> int | None:
        """The action of a key; None if it is none."""
        raise NotImplementedError

    def idle(self) -> int:
        """What happens in a step for which no key came."""
        raise NotImplementedError

    def chosen(self, action: int, state: Any) -> int:
        """The action that is played."""
        return action

    def happened(self, before: Any, joint: Sequence[int], after: Any) -> None:
        """A step was played."""


class Sitting(NamedTuple):
    """How a person's game went."""

    finished: bool
    state: Any  # the last
    names: list[str]  # by seat
    actions: tuple[tuple[int, ...], ...]  # joint ones, by seat
    episodes: Episodes  # the game as it was played


def play_at_keys(
    game: Game,
    partners: Partners,
    hands: Callable[[Any, int, Sequence[str], bool], Hands],
    seat: int = 0,
    seed: int = 0,
    speed: float | None = None,
    read_key: ReadKey | None = None,
    output: Callable[[str], Any] = print,
) -> Sitting:
    """Plays one game with a person in `seat` and the partners in the others, in order of seat.

    It waits for keys, unless `speed` says how many steps pass in a second. The partners' random choices are those of
    game 0 of `coplay.play` with the same seed.
    """
    if speed is not None and not 0 < speed <= 60:
        raise GameError(f"speed={speed}: give the steps per second, above 0 and at most 60, or none to wait for keys.")
    if speed is not None and read_key is None and not has_keys():
        raise GameError("speed needs a terminal that sends single keys; leave it out, then the game waits for keys.")
    others = seat_partners(game, partners, seat, seed)
    by_seat = {partner.seat: partner.name for partner in others}
    names = [by_seat.get(one, "you") for one in range(game.players)]
    start = state = game.reset(jax.random.fold_in(derive(seed, "deal"), 0))
    actions: list[tuple[int, ...]] = []
    with keyboard() if read_key is None else nullcontext(read_key) as read, screen(output) as show:
        person = _Person(hands(game, seat, names, speed is None), read, show, speed)
        try:
            while bool(game.turn(state).any()):
                chosen = {partner.seat: partner.choose(state, len(actions)) for partner in others}
                chosen[seat] = person.choose(state)
                joint = tuple(int(chosen[one] or 0) for one in range(game.players))
                before, state = state, _step(game, state, jnp.asarray(joint, jnp.int32))
                actions.append(joint)
                person.hands.happened(before, joint, state)
        except Quit:
            pass
    finished = not bool(game.turn(state).any())
    episodes = record(game, others, start, actions, float(game.score(state)))
    return Sitting(finished, state, names, tuple(actions), episodes)


def last_words(output: Callable[[str], Any], picture: RenderableType, text: str) -> None:
    """The last picture, and how it ended."""
    say = speaker(output)
    say(picture)
    say(text)


class _Person:
    """Reads keys and shows pictures."""

    def __init__(
        self, hands: Hands, read: ReadKey, show: Callable[[RenderableType], None], speed: float | None
    ) -> None:
        self.hands, self.read, self.show, self.speed = hands, read, show, speed

    def choose(self, state: Any) -> int:
        """The action of the next key, or of the last one before the clock ticks."""
        action = self.hands.unasked(state)
        if action is None:
            self._draw(state)
            action = self._wait(state) if self.speed is None else self._listen(state, 1 / self.speed)
        return self.hands.chosen(action, state)

    def _wait(self, state: Any) -> int:
        action = None
        while action is None:
            action = self._meant(self._key(None), state)
        return action

    def _listen(self, state: Any, seconds: float) -> int:
        action, deadline = None, time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            key = self._key(left)
            if key is None:
                break
            meant = self._meant(key, state)
            action = action if meant is None else meant
        return self.hands.idle() if action is None else action

    def _meant(self, key: str | None, state: Any) -> int | None:
        """The action of a key, if it is one; other keys change nothing, and are explained."""
        if not key:
            return None
        hands, name = self.hands, key.lower()
        if name == hands.leave:
            raise Quit
        action = hands.meant(name, state)
        if action is None:
            hands.note = hands.help if key == "?" else f"{key!r} does nothing here; ? helps, {hands.leave} leaves."
            self._draw(state)
        return action

    def _key(self, timeout: float | None) -> str | None:
        try:
            return self.read(timeout)
        except (EOFError, KeyboardInterrupt):
            raise Quit from None

    def _draw(self, state: Any) -> None:
        self.show(Group(self.hands.picture(state), Text(self.hands.note)))


@eqx.filter_jit
def _step(game: Game, state: Any, actions: jax.Array) -> Any:
    return game.step(state, actions).state
