"""A person cooks in the terminal with partners of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from rich.console import RenderableType

from coplay.rollouts.episode import Episodes
from coplay.rollouts.people.at_keys import Hands, last_words, play_at_keys
from coplay.rollouts.people.keyboard import ReadKey
from coplay.rollouts.people.person import Partners
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
    """Plays one game with a person in `seat` and partners in the others, as `play_at_keys` does; a key is a step."""
    sat = play_at_keys(game, partners, Cook, seat, seed, speed, read_key, output)
    score = int(sat.state.score)
    text = f"Final score: {score}." if sat.finished else f"You left at {score} points."
    last_words(output, state_terminal(game, sat.state, sat.names), text)
    return Shift(sat.finished, score, sat.actions, sat.episodes)


class Cook(Hands):
    """The person at the keyboard."""

    note = "Arrows walk, space uses what you face, . waits, ? helps, q leaves."

    @property
    def help(self) -> str:
        return HELP + (HELP_NEW if self.game.dynamics == "new" else "")

    def picture(self, state: State) -> RenderableType:
        return state_terminal(self.game, state, self.names, you=self.seat)

    def meant(self, key: str, state: State) -> int | None:
        return KEYS.get(key)

    def idle(self) -> int:
        return STAY

    def happened(self, before: State, joint: Sequence[int], after: State) -> None:
        """The note says what everybody just did."""
        points = int(after.score) - int(before.score)
        deeds = ", ".join(f"{name}: {ACTIONS[action]}" for name, action in zip(self.names, joint, strict=True))
        self.note = f"{deeds}.  +{points}!" if points else f"{deeds}."


class _Terminal:
    """The kitchens' face for `coplay play` and `coplay replay`."""

    def frame(self, game: Overcooked, state: State, names: Sequence[str]) -> RenderableType:
        return state_terminal(game, state, names)

    def play(self, game: Overcooked, partner: str, seat: int, seed: int, speed: float | None) -> Episodes:
        return play_overcooked(game, partner or "hand-over-cook", seat, seed, speed).episodes


TERMINAL = _Terminal()
