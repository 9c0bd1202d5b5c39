"""A person among agents, one move at a time: the partners beside them, and how they are spoken to.

What a table looks like and how a move is typed, a world knows (`faces.terminal`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console, RenderableType
from rich.text import Text

from coplay.agents.spec import agent
from coplay.game import Game, GameError
from coplay.player import AgentError, unnamed
from coplay.rollouts.chairs import begin, game_seeds
from coplay.rollouts.episode import Episodes
from coplay.rollouts.lockstep import illegal_reason
from coplay.rollouts.seeds import derive
from coplay.rollouts.team import Player, agent_name, is_policy
from coplay.views.host import host_views

Array = jax.Array
Partners = str | Player | list[str | Player] | tuple[str | Player, ...]


class Quit(Exception):
    """The person wants to leave."""


class Partner:
    """One partner in one seat of one game, whichever face it has; its random choices are those of `coplay.play`."""

    def __init__(self, game: Game, player: Player, seat: int, key: Array) -> None:
        self.game, self.player, self.seat, self.key = game, player, seat, key
        self.name = agent_name(player)
        self.listens = getattr(player, "hears", "own") == "every"
        if is_policy(player):
            self.memory = player.start()  # pyright: ignore[reportAttributeAccessIssue]
        else:
            begin(player, seat, game.players, int(game_seeds(key[None], seat, game.players)[0]))

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
        self.memory, action = _decide(self.game, unnamed(self.player), jnp.int32(self.seat), state, self.memory, key)
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


def record(game: Game, others: Sequence[Partner], start: Any, joint: Sequence[Sequence[int]], score: float) -> Episodes:
    """A person's game as one episode; it may stop before its end. `joint`: actions by seat, -1 off turn."""
    by_seat = {partner.seat: partner.name for partner in others}
    actions = np.asarray(joint, np.int16).reshape(1, len(joint), game.players)
    return Episodes(
        game=game,
        names=tuple(by_seat.get(seat, "human") for seat in range(game.players)),
        starts=jax.tree.map(lambda leaf: np.asarray(leaf)[None], start),
        actions=actions if game.simultaneous else actions.max(-1),
        lengths=np.asarray([len(joint)], np.int32),
        scores=np.asarray([score], np.float32),
    )


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


@contextmanager
def screen(output: Callable[[str], Any]) -> Iterator[Callable[[RenderableType], None]]:
    """Shows one picture in place of the other on a screen of its own; where there is no terminal, one after another."""
    if output is not print or not sys.stdout.isatty():
        yield speaker(output)
        return
    with Console(highlight=False).screen(hide_cursor=True) as screen:
        yield screen.update


@eqx.filter_jit
def _decide(game: Game, policy: Any, seat: Array, state: Any, memory: Any, key: Array) -> tuple[Any, Array]:
    return policy.act(memory, game.view(state, seat), key)
