"""One seat of a batch of games that step together: a policy, a plain agent's copies, or an agent that answers for all.

A chair chooses for the games in which it is on turn. What goes wrong in one game is told to `lost`, and the others go
on.
"""

from __future__ import annotations

import copy
import sysconfig
import traceback
from collections.abc import Callable
from typing import Any, Protocol

import jax
import numpy as np

from coplay.compiling import quick_jit
from coplay.game import Game
from coplay.player import Agent, AgentError, CannotGoOn, answers_for_many, unnamed
from coplay.rollouts.rollout import decide, start_memory, turn_keys
from coplay.rollouts.team import Player, agent_name, is_policy
from coplay.rollouts.time_limit import TookTooLong, time_limit
from coplay.views.host import Batch, HostView, Views, batch_of

PATIENCE = 3  # games in which an agent may run out of time before it is no longer asked
# An agent may have to compile or load something for its first answer, which is not thinking.
FIRST = 10  # times as long it may take for the first answer of a batch
SET_UP = 60.0  # seconds it may take at least for the first answer in this process
TIMED_OUT = "no answer within"  # how the reason of a game lost by the clock begins
NOT_ASKED = "not asked"

Lost = Callable[[int, str, HostView | None], None]  # game, why, what it saw
_set_up: set[type] = set()  # kinds of agents that have answered in this process


class Chair(Protocol):
    """Somebody in one seat of all games of a batch."""

    def choose(self, turn: int, states: Any, mine: np.ndarray, live: np.ndarray) -> np.ndarray:
        """int32 [games]: its actions; -1 where it is not on turn or broke the game off."""
        ...


def chair_for(
    game: Game, player: Player, seat: int, keys: Any, live: np.ndarray, seconds: float | None, lost: Lost
) -> Chair:
    """Sits a player down. keys: [games]; live: bool [games], the games that are wanted."""
    if is_policy(player):
        return PolicyChair(game, player, seat, keys)
    kind = BatchedChair if answers_for_many(player) else PlainChair
    return kind(game, player, seat, keys, live, seconds, lost)


class PolicyChair:
    """A policy with a memory per game."""

    def __init__(self, game: Game, policy: Any, seat: int, keys: Any) -> None:
        self.game, self.policy, self.keys = game, unnamed(policy), keys
        self.seat = np.asarray(seat, np.int32)
        self.memory = start_memory(policy, keys.shape[0])

    def choose(self, turn: int, states: Any, mine: np.ndarray, live: np.ndarray) -> np.ndarray:
        if self.policy.hears == "own" and not mine.any():
            return np.full(len(mine), -1, np.int32)  # it is not asked anywhere, and its memory would stand still
        number = np.asarray(turn, np.int32)  # of NumPy: making a number of JAX is a computation of its own
        self.memory, chosen = _decide(self.game, self.policy, self.seat, states, self.memory, self.keys, number)
        return np.asarray(chosen)


@quick_jit
def _decide(game: Game, policy: Any, seat: Any, states: Any, memory: Any, keys: Any, turn: Any) -> Any:
    # The seat is an argument like any other: a policy is compiled once, whatever seat and team it plays in.
    return decide(game, policy, seat, states, memory, turn_keys(keys, turn, seat, game.players))


def compile_decision(game: Game, policy: Any, states: Any, keys: Any) -> None:
    """Makes a policy ready for batches of this size, whatever seat and team it will play in."""
    zero = np.asarray(0, np.int32)
    _decide(game, unnamed(policy), zero, states, start_memory(policy, keys.shape[0]), keys, zero)


class PlainChair:
    """One object per game: a plain agent remembers the game it is in."""

    def __init__(
        self, game: Game, player: Any, seat: int, keys: Any, live: np.ndarray, seconds: float | None, lost: Lost
    ) -> None:
        self.game, self.player, self.seat, self.seconds, self.lost = game, player, seat, seconds, lost
        self.listens = getattr(player, "hears", "own") == "every"
        self.late = 0
        self.known = False  # it was asked once, so whatever it had to set up is there
        warm_up(player)
        seeds = game_seeds(keys, seat, game.players)
        self.copies = {index: self._copy(index, int(seeds[index])) for index in np.flatnonzero(live).tolist()}

    def _copy(self, index: int, seed: int) -> Agent:
        try:
            one = copy.deepcopy(self.player)
        except Exception as error:  # such as a lock, or a connection that belongs to this process
            raise AgentError(
                f"{agent_name(self.player)} cannot be copied, and every game has a copy of its own "
                f"({type(error).__name__}: {error}); "
                "keep what cannot be copied in the class or the module, not in self."
            ) from error
        try:
            begin(one, self.seat, self.game.players, seed)
        except (Exception, SystemExit) as error:  # an agent may raise anything
            self.lost(index, f"reset raised {told(error)}", None)
        return one

    def choose(self, turn: int, states: Any, mine: np.ndarray, live: np.ndarray) -> np.ndarray:
        actions = np.full(len(mine), -1, np.int32)
        asked = np.flatnonzero(live if self.listens else mine)
        if len(asked):
            batch = batch_of(self.game, states, self.seat)
            for index in asked.tolist():
                self._ask(index, HostView(batch, index), bool(mine[index]), actions)
        return actions

    def _ask(self, index: int, view: HostView, mine: bool, actions: np.ndarray) -> None:
        if self.late >= PATIENCE:
            self.lost(index, f"{NOT_ASKED}: it took too long in {PATIENCE} games already", view)
            return
        allowed = limit(self.seconds, self.known, self.player)
        self.known = self.known or mine
        try:
            with time_limit(allowed):
                if mine:
                    actions[index] = as_action(self.copies[index].act(view), self.game.num_actions)
                else:
                    self.copies[index].watch(view)
        except TookTooLong as error:
            self.late += 1
            self.lost(index, f"{error}; the limit is `move_seconds` of coplay.play", view)
        except CannotGoOn:
            raise
        except (Exception, SystemExit) as error:  # an agent may raise anything
            self.lost(index, told(error), view)


class BatchedChair:
    """One object for all games of a seat: it is asked once per round."""

    def __init__(
        self, game: Game, player: Any, seat: int, keys: Any, live: np.ndarray, seconds: float | None, lost: Lost
    ) -> None:
        self.game, self.seat, self.seconds, self.lost = game, seat, seconds, lost
        self.player = copy.copy(player)  # a copy per seat, so that seats do not share what they remember
        self.listens = getattr(player, "hears", "own") == "every"
        self.known = False
        warm_up(player)
        reset = getattr(self.player, "reset_batch", None)
        if reset is not None:
            reset(seat, game.players, game_seeds(keys, seat, game.players)[: int(live.sum())])

    def choose(self, turn: int, states: Any, mine: np.ndarray, live: np.ndarray) -> np.ndarray:
        actions = np.full(len(mine), -1, np.int32)
        batch = batch_of(self.game, states, self.seat)
        if self.listens and (others := np.flatnonzero(live & ~mine)).size:
            self._call(batch, others, lambda views: self.player.watch_batch(views))
        rows = np.flatnonzero(mine)
        if len(rows):
            answers = self._call(batch, rows, lambda views: self._answers(views))
            for index, answer in zip(rows.tolist(), answers or (), strict=False):
                if isinstance(answer, Exception):
                    self.lost(index, told(answer), HostView(batch, index))
                else:
                    actions[index] = answer
        return actions

    def _answers(self, views: Views) -> list[int | Exception]:
        answer = list(self.player.act_batch(views))
        if len(answer) != len(views):
            raise ValueError(f"act_batch gave {len(answer)} actions for {len(views)} views; give one for each")
        return [one if isinstance(one, Exception) else as_action(one, self.game.num_actions) for one in answer]

    def _call(self, batch: Batch, rows: np.ndarray, ask: Callable[[Views], Any]) -> Any:
        allowed, self.known = limit(self.seconds, self.known, self.player, len(rows)), True
        try:
            with time_limit(allowed):
                return ask(Views(batch, rows, self.seat))
        except TookTooLong as error:
            reason = f"{error}; the limit is `move_seconds` of coplay.play"
        except CannotGoOn:
            raise
        except (Exception, SystemExit) as error:  # an agent may raise anything
            reason = told(error)
        for index in rows.tolist():
            self.lost(index, reason, HostView(batch, index))
        return None


def warm_up(player: Any) -> None:
    """Whatever an agent wants to compile or load before the clock runs."""
    if callable(prepare := getattr(player, "warm_up", None)):
        prepare()


def begin(player: Any, seat: int, players: int, seed: int) -> None:
    """Sits a plain agent down for a new game, with a number of its own to draw from."""
    player.seed = seed
    player.reset(seat, players)


def game_seeds(keys: Any, seat: int, players: int) -> np.ndarray:
    """uint32 [games]: a number for one seat of every game, the same however the games are run."""
    return np.asarray(_seeds(keys, np.asarray(seat - players, np.int32)))


@quick_jit
def _seeds(keys: Any, place: Any) -> Any:
    return jax.vmap(lambda key: jax.random.bits(jax.random.fold_in(key, place)))(keys)


def limit(seconds: float | None, known: bool, player: Any, games: int = 1) -> float | None:
    """How long an answer may take; the first one longer than the others."""
    kind = type(getattr(player, "inner", player))
    first, least = not known, 0.0 if kind in _set_up else SET_UP
    if first:
        _set_up.add(kind)
    if seconds is None or getattr(player, "keeps_time", False):
        return None
    return max(seconds * games * FIRST, least) if first else seconds * games


def told(error: BaseException) -> str:
    """An agent's error, and the line of its own code that it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    libraries = (__file__, sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), "<")
    own = [frame for frame in frames if not frame.filename.startswith(libraries)]
    where = f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}{where}"


def as_action(value: Any, num_actions: int) -> int:
    """What an agent returned, as an id that fits the step's integers; nonsense raises."""
    number = int(value)
    if number != value:
        raise ValueError(f"act returned {value!r}; return a whole number from 0 to {num_actions - 1}")
    return number if -(2**15) <= number < 2**15 else num_actions
