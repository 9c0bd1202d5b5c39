"""A person plays Hanabi in the terminal with partners of any kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from rich.console import RenderableType

from coplay.data import DataError
from coplay.game import Game, GameError
from coplay.rollouts.episode import Episodes
from coplay.rollouts.people.person import Partner, Partners, Quit, record, seat_partners, speaker
from coplay.rollouts.seeds import derive
from coplay.worlds.hanabi import Hanabi, State
from coplay.worlds.hanabi.people.table import read_view
from coplay.worlds.hanabi.people.terminal import state_terminal, table_terminal
from coplay.worlds.hanabi.people.typed import HELP, Mistake, read_move
from coplay.worlds.hanabi.people.words import legal_moves_text, move_text
from coplay.worlds.hanabi.recordings.hanablive import to_link

Array = jax.Array

COMMANDS = """
  l          list the legal moves with their numbers
  t          show the table again
  ?          this help
  q          leave the game"""


class Outcome(NamedTuple):
    """How a person's game went."""

    finished: bool
    score: int
    actions: tuple[int, ...]
    link: str | None  # shows the game on hanab.live, if that site can play it
    episodes: Episodes  # the game as it was played


class _Terminal:
    """Hanabi's face for `coplay play` and `coplay replay`."""

    def frame(self, game: Hanabi, state: State, names: Sequence[str]) -> RenderableType:
        return state_terminal(game, state, names)

    def play(self, game: Hanabi, partner: str, seat: int, seed: int, speed: float | None) -> Episodes:
        if speed is not None:
            raise GameError("Hanabi waits for your moves; leave --speed out.")
        usual = "smartbot" if game.num_identities == 25 or game.variant != "none" else "random"
        return play_hanabi(game, partner or usual, seat, seed).episodes


TERMINAL = _Terminal()


def play_hanabi(
    game: Hanabi,
    partners: Partners,
    seat: int = 0,
    seed: int = 0,
    input: Callable[[str], str] = input,
    output: Callable[[str], Any] = print,
) -> Outcome:
    """Plays one game with a person in `seat` and the partners in the others, in order of seat.

    The deal and the partners' random choices are those of game 0 of `coplay.play` with the same seed. Whatever is typed
    that is not a legal move changes nothing; a move once made stays made.
    """
    others = seat_partners(game, partners, seat, seed)
    person = Person(game, seat, _names(others, seat, game.players), input, speaker(output))
    person.greet()
    start = state = game.reset(jax.random.fold_in(derive(seed, "deal"), 0))
    deck, first = game.deck_of(state), int(state.seat)
    actions: list[int] = []
    try:
        while not state.done:
            chosen = [partner.choose(state, len(actions)) for partner in others]
            action = next((number for number in chosen if number is not None), None)
            action = person.choose(state) if action is None else action
            state = _step(game, state, jnp.full(game.players, action, jnp.int32))
            actions.append(action)
            person.watch(state)
    except Quit:
        pass
    link = _link(game, deck, actions, first)
    person.part(state, link)
    score = int(game.score(state))
    episodes = record(game, others, start, [[action] * game.players for action in actions], score)
    return Outcome(bool(state.done), score, tuple(actions), link, episodes)


@dataclasses.dataclass(frozen=True)
class Person:
    """Someone at the keyboard, in one seat of a game of Hanabi."""

    game: Hanabi
    seat: int
    names: Sequence[str]  # by seat
    input: Callable[[str], str]
    say: Callable[[RenderableType], None]

    def greet(self) -> None:
        partners = [name for seat, name in enumerate(self.names) if seat != self.seat]
        self.say(f"Hanabi with {', '.join(partners)}. Type ? for help, q to leave.\n")

    def choose(self, state: State) -> int:
        """Shows the table and asks until a legal move is typed."""
        view = self.game.view(state, self.seat)
        table = read_view(view)
        self.say("")
        self.say(table_terminal(view, self.names))
        while True:
            text = self._line()
            try:
                if text in ("t", "table"):
                    self.say(table_terminal(view, self.names))
                elif text in ("l", "list"):
                    self.say(legal_moves_text(view, self.names))
                elif text in ("?", "help"):
                    self.say(HELP + COMMANDS)
                else:
                    return read_move(table, text)
            except Mistake as mistake:
                self.say(str(mistake))

    def watch(self, state: State) -> None:
        """Says what the last move was and what came of it, unless the table that is shown next says so."""
        table = read_view(self.game.view(state, self.seat))
        if table.last is not None and table.to_move != 0 and not table.done:
            self.say(move_text(table, table.last, self.names))

    def part(self, state: State, link: str | None) -> None:
        """Shows all hands, the score and where to see the game again."""
        score = int(self.game.score(state))
        self.say("")
        self.say(state_terminal(self.game, state, self.names, self.seat))
        self.say(f"Final score: {score} of {self.game.max_score}." if state.done else f"You left at {score} points.")
        if link is not None:
            self.say(f"See it on hanab.live: {link}")

    def _line(self) -> str:
        try:
            text = self.input("Your move: ").strip().lower()
        except (EOFError, KeyboardInterrupt):
            raise Quit from None
        if text in ("q", "quit", "exit"):
            raise Quit
        return text


def _names(partners: Sequence[Partner], seat: int, players: int) -> list[str]:
    """Names by seat; partners of the same name are numbered."""
    by_seat = {partner.seat: partner.name for partner in partners} | {seat: "human"}
    names = [by_seat[other] for other in range(players)]
    return [f"{name} {names[:s].count(name) + 1}" if names.count(name) > 1 else name for s, name in enumerate(names)]


def _link(game: Hanabi, deck: np.ndarray, actions: list[int], first: int) -> str | None:
    if not actions:
        return None  # hanab.live shows no game without a move
    try:
        return to_link(game, deck, actions, first)
    except DataError:
        return None  # nor every setting


@eqx.filter_jit
def _step(game: Game, state: Any, actions: Array) -> Any:
    return game.step(state, actions).state
