"""A person plays Hanabi in the terminal with partners of any kind."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console, RenderableType
from rich.text import Text

from coplay.agents.agent import AgentError
from coplay.agents.spec import agent
from coplay.data import DataError
from coplay.data.hanablive import to_link
from coplay.games.game import Game, GameError
from coplay.games.hanabi import Hanabi, State
from coplay.games.hanabi.table import read_view
from coplay.games.hanabi.terminal import state_terminal, table_terminal
from coplay.games.hanabi.typed import HELP, Mistake, read_move
from coplay.games.hanabi.words import legal_moves_text, move_text
from coplay.games.overcooked import Overcooked
from coplay.play.lockstep import host_views, illegal_reason
from coplay.play.seeds import derive
from coplay.play.team import Player, agent_name, is_policy

Array = jax.Array
Partners = str | Player | list[str | Player] | tuple[str | Player, ...]

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


class Quit(Exception):
    """The person wants to leave."""


def play_in_terminal(game: Game, partner: str, seat: int, seed: int, speed: float | None = None) -> None:
    """Plays the game's own way in the terminal; an empty partner means the game's usual one."""
    if isinstance(game, Hanabi):
        usual = "smartbot" if game.num_identities == 25 else "random"
        play_hanabi(game, partner or usual, seat, seed)
    elif isinstance(game, Overcooked):
        from coplay.play.kitchen import play_overcooked

        play_overcooked(game, partner or "hand-over-cook", seat, seed, speed)
    else:
        raise GameError(f"{game.name} cannot be played in the terminal; hanabi and overcooked can.")


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
    state = game.reset(jax.random.fold_in(derive(seed, "deal"), 0))
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
    return Outcome(bool(state.done), int(game.score(state)), tuple(actions), link)


class Partner:
    """One partner in one seat of one game, whichever face it has; its random choices are those of `coplay.play`."""

    def __init__(self, game: Game, player: Player, seat: int, key: Array) -> None:
        self.game, self.player, self.seat, self.key = game, player, seat, key
        self.name = agent_name(player)
        self.listens = getattr(player, "hears", "own") == "every"
        if is_policy(player):
            self.memory = player.start()  # pyright: ignore[reportAttributeAccessIssue]
        else:
            player.reset(seat, game.players)  # pyright: ignore[reportAttributeAccessIssue]

    def choose(self, state: Any, turn: int) -> int | None:
        """Its action if it is to move, else None; it looks at the table on its turn, or on every turn if it listens."""
        mine = bool(self.game.turn(state)[self.seat])
        if not mine and not self.listens:
            return None
        action = self._decide(state, turn) if is_policy(self.player) else self._ask(state, mine)
        if not mine:
            return None
        number = int(np.asarray(action))
        legal = np.asarray(self.game.legal(self.game.view(state, self.seat)))
        if not 0 <= number < len(legal) or not legal[number]:
            raise AgentError(f"{self.name} in seat {self.seat}: {illegal_reason(number, len(legal))}.")
        return number

    def _decide(self, state: Any, turn: int) -> Array:
        key = jax.random.fold_in(self.key, turn * self.game.players + self.seat)
        self.memory, action = _decide(self.game, self.player, jnp.int32(self.seat), state, self.memory, key)
        return action

    def _ask(self, state: Any, mine: bool) -> Any:
        batch = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state)
        view = host_views(self.game, batch, self.seat, np.array([0]))[0]
        try:
            if mine:
                return self.player.act(view)  # pyright: ignore[reportCallIssue]
            return self.player.watch(view)  # pyright: ignore[reportAttributeAccessIssue]
        except Exception as error:  # anything may go wrong in somebody's agent; the person is told which and what
            raise AgentError(f"{self.name} in seat {self.seat} broke: {type(error).__name__}: {error}.") from error


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


def seat_partners(game: Game, partners: Partners, seat: int, seed: int) -> tuple[Partner, ...]:
    """The partners in their seats; a single one takes every seat but the person's."""
    if isinstance(seat, bool) or not isinstance(seat, int) or not 0 <= seat < game.players:
        raise GameError(f"seat={seat!r}: seats are 0 to {game.players - 1}.")
    given = list(partners) if isinstance(partners, list | tuple) else [partners] * (game.players - 1)
    if len(given) != game.players - 1:
        raise AgentError(
            f"{game.players} players need {game.players - 1} partners beside you, but {len(given)} are given; "
            f"give {game.players - 1}, or make the game with players={len(given) + 1}."
        )
    seats = [other for other in range(game.players) if other != seat]
    key = jax.random.fold_in(derive(seed, "act"), 0)
    return tuple(Partner(game, agent(player, game), other, key) for other, player in zip(seats, given, strict=True))


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


def speaker(output: Callable[[str], Any]) -> Callable[[RenderableType], None]:
    """Prints in colour where the terminal has it; any other output is given plain text."""
    console = Console(highlight=False) if output is print else Console(width=200, color_system=None)

    def say(what: RenderableType) -> None:
        shown = Text(what) if isinstance(what, str) else what
        if output is print:
            console.print(shown, soft_wrap=True)
            return
        with console.capture() as capture:
            console.print(shown)
        output(capture.get().rstrip("\n"))

    return say


@eqx.filter_jit
def _step(game: Game, state: Any, actions: Array) -> Any:
    return game.step(state, actions).state


@eqx.filter_jit
def _decide(game: Game, policy: Any, seat: Array, state: Any, memory: Any, key: Array) -> tuple[Any, Array]:
    return policy.act(memory, game.view(state, seat), key)
