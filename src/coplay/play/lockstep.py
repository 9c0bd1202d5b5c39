"""Teams with a plain Python agent: all games step together; policies are batched between the calls to the host."""

from __future__ import annotations

import copy
import dataclasses
import sysconfig
import traceback
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.agent import Agent, AgentError
from coplay.games.game import Game
from coplay.play.episode import Forfeit
from coplay.play.haste import hasty_jit
from coplay.play.rollout import decide, start_memory, turn_keys
from coplay.play.team import Player, agent_name, is_policy
from coplay.play.time_limit import TookTooLong, time_limit

PATIENCE = 3  # games in which an agent may run out of time before it is no longer asked


class HostView:
    """A view of one game with every field and property as numpy, brought over from the batch when first asked for."""

    def __init__(self, batch: Batch, index: int) -> None:
        self._batch, self._index = batch, index
        self.game = batch.view.game

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._batch.names:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self.__dict__[name] = self._batch.pick(name, self._index)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return HostView, (self._batch.only(self._index), 0)  # a copy does not take the other games along

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._batch.names})

    def text(self) -> str:
        """The view in words."""
        return self._batch.one(self._index).text()

    def __repr__(self) -> str:
        return self.text()


class Batch:
    """One seat's views of many games, computed in one call; only what agents ask for is copied to the host."""

    def __init__(self, view: Any, properties: dict[str, Any]) -> None:
        self.view, self._properties = view, properties
        self.names = dict.fromkeys([*field_names(view), *properties])
        self._host: dict[str, tuple[list[np.ndarray], Any]] = {}

    def pick(self, name: str, index: int) -> Any:
        """A field or property of one game."""
        if name not in self._host:
            found = self._properties[name] if name in self._properties else getattr(self.view, name)
            self._host[name] = jax.tree.flatten(jax.device_get(found))
        leaves, shape = self._host[name]
        return shape.unflatten([leaf[index] for leaf in leaves])

    def one(self, index: int) -> Any:
        """The view of one game as the game made it."""
        return jax.tree.map(lambda leaf: np.asarray(leaf)[index], self.view)

    def only(self, index: int) -> Batch:
        """The batch of this game alone."""
        return Batch(*jax.tree.map(lambda leaf: np.asarray(leaf)[index : index + 1], (self.view, self._properties)))


def field_names(view: Any) -> list[str]:
    """The arrays that a view carries."""
    names = [field.name for field in dataclasses.fields(view) if not field.metadata.get("static")]
    return [name for name in names if not name.startswith("_")]


def properties(view: Any) -> dict[str, Any]:
    """The arrays that a view computes."""
    names = [name for name, value in vars(type(view)).items() if isinstance(value, property)]
    return {name: getattr(view, name) for name in names if not name.startswith("_")}


@eqx.filter_jit
def _views(game: Game, seat: int, states: Any) -> tuple[Any, dict[str, Any]]:
    def one(state: Any) -> tuple[Any, dict[str, Any]]:
        view = game.view(state, seat)
        return view, properties(view)

    return jax.vmap(one)(states)


def host_views(game: Game, states: Any, seat: int, which: np.ndarray) -> list[HostView]:
    """The views of one seat in the games numbered `which` of a batch."""
    batch = Batch(*_views(game, seat, states))
    return [HostView(batch, index) for index in which.tolist()]


@hasty_jit
def _decide(game: Game, policy: Any, seat: Any, states: Any, memory: Any, keys: Any, turn: Any) -> Any:
    # The seat is an argument like any other: a policy is compiled once, whatever seat and team it plays in.
    return decide(game, policy, seat, states, memory, turn_keys(keys, turn, seat, game.players))


def compile_decision(game: Game, policy: Any, states: Any, keys: Any) -> None:
    """Makes a policy ready for batches of this size, whatever seat and team it will play in."""
    _decide(
        game,
        policy,
        np.asarray(0, np.int32),
        states,
        start_memory(policy, keys.shape[0]),
        keys,
        np.asarray(0, np.int32),
    )


@hasty_jit
def _step(game: Game, states: Any, actions: Any, live: Any) -> Any:
    step = jax.vmap(game.step)(states, actions)
    keep = lambda new, old: jnp.where(live.reshape((-1,) + (1,) * (new.ndim - 1)), new, old)  # noqa: E731
    return step._replace(state=jax.tree.map(keep, step.state, states))


def last_states(game: Game, starts: Any, actions: np.ndarray) -> Any:
    """The states after all actions, int [games, turns, players]; -1 changes nothing.

    In lock-step: where batches of this size are played, there is nothing left to compile.
    """
    states, live = starts, np.ones(len(actions), bool)
    for turn in range(actions.shape[1]):
        states = _step(game, states, actions[:, turn].astype(np.int32), live).state
    return states


@hasty_jit
def _to_move(game: Game, states: Any) -> Any:
    return jax.vmap(game.turn)(states)


@hasty_jit
def _scores(game: Game, states: Any) -> Any:
    return jax.vmap(game.score)(states)


class LockStep:
    """One chunk of games in progress."""

    def __init__(
        self, game: Game, team: tuple[Player, ...], states: Any, keys: Any, first: int, move_seconds: float | None
    ) -> None:
        self.game, self.team, self.states, self.keys, self.first = game, team, states, keys, first
        self.move_seconds = move_seconds
        self.timeouts = [0] * game.players
        games = keys.shape[0]
        self.live = np.ones(games, bool)
        self.actions = np.full((games, game.max_steps, game.players), -1, np.int16)
        self.lengths = np.zeros(games, np.int32)
        self.forfeits: list[Forfeit] = []
        self.memories = [start_memory(player, games) if is_policy(player) else None for player in team]
        self.agents = [None if is_policy(player) else self._copies(seat) for seat, player in enumerate(team)]

    def run(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Forfeit]]:
        """Actions, lengths, scores and forfeits."""
        turn = 0
        while self.live.any():
            self._one_turn(turn)
            turn += 1
        scores = np.asarray(_scores(self.game, self.states), np.float32).copy()
        for forfeit in self.forfeits:
            scores[forfeit.game - self.first] = 0
        return self.actions, self.lengths, scores, self.forfeits

    def _copies(self, seat: int) -> list[Agent]:
        """One agent object per game: a plain agent remembers the game it is in."""
        try:
            copies = [copy.deepcopy(self.team[seat]) for _ in range(len(self.live))]
        except Exception as error:  # such as a lock, or a connection that belongs to this process
            raise AgentError(
                f"{agent_name(self.team[seat])} cannot be copied, and every game has a copy of its own "
                f"({type(error).__name__}: {error}); "
                "keep what cannot be copied in the class or the module, not in self."
            ) from error
        for index, player in enumerate(copies):
            try:
                player.reset(seat, self.game.players)  # pyright: ignore[reportAttributeAccessIssue]
            except (Exception, SystemExit) as error:  # an agent may raise anything
                self._forfeit(index, 0, seat, f"reset raised {_told(error)}", None)
        return copies  # pyright: ignore[reportReturnType]

    def _one_turn(self, turn: int) -> None:
        to_move = np.asarray(_to_move(self.game, self.states)) & self.live[:, None]
        actions = self._choose(turn, to_move)
        to_move &= self.live[:, None]
        step = _step(self.game, self.states, actions, self.live)
        illegal = np.asarray(step.events.illegal) & to_move
        for index, seat in np.argwhere(illegal).tolist():
            self._refuse(index, turn, seat, int(actions[index, seat]))
        broken = np.asarray(illegal.any(axis=1))
        self.actions[:, turn] = np.where(to_move & ~broken[:, None], actions, -1)
        self.lengths += self.live & ~broken
        self.states = step.state
        self.live &= ~broken & ~np.asarray(step.done)

    def _choose(self, turn: int, to_move: np.ndarray) -> np.ndarray:
        """What every seat does, int32 [games, players]; -1 where it was not asked."""
        actions = np.full((len(self.live), self.game.players), -1, np.int32)
        number = np.asarray(turn, np.int32)  # of NumPy: making a number of JAX is a computation of its own
        for seat, player in enumerate(self.team):
            if is_policy(player):
                if player.hears == "own" and not to_move[:, seat].any():
                    continue  # it is not asked anywhere, and its memory would stand still
                self.memories[seat], chosen = _decide(
                    self.game, player, np.asarray(seat, np.int32), self.states, self.memories[seat], self.keys, number
                )
                actions[:, seat] = np.asarray(chosen)
            else:
                self._ask_agents(turn, seat, to_move[:, seat], actions)
        return actions

    def _ask_agents(self, turn: int, seat: int, mine: np.ndarray, actions: np.ndarray) -> None:
        agents = self.agents[seat]
        assert agents is not None
        listens = getattr(self.team[seat], "hears", "own") == "every"
        asked = np.flatnonzero(self.live if listens else mine)
        if len(asked) == 0:
            return
        for index, view in zip(asked, host_views(self.game, self.states, seat, asked), strict=True):
            if self.timeouts[seat] >= PATIENCE:
                self._forfeit(int(index), turn, seat, f"not asked: it took too long in {PATIENCE} games already", view)
                continue
            try:
                with time_limit(self.move_seconds):
                    if mine[index]:
                        actions[index, seat] = _as_action(agents[index].act(view), self.game.num_actions)
                    else:
                        agents[index].watch(view)
            except TookTooLong as error:
                self.timeouts[seat] += 1
                self._forfeit(int(index), turn, seat, f"{error}; the limit is `move_seconds` of coplay.play", view)
            except (Exception, SystemExit) as error:  # an agent may raise anything
                self._forfeit(int(index), turn, seat, _told(error), view)

    def _refuse(self, index: int, turn: int, seat: int, action: int) -> None:
        view = host_views(self.game, self.states, seat, np.asarray([index]))[0]
        self._forfeit(index, turn, seat, illegal_reason(action, self.game.num_actions), view)

    def _forfeit(self, index: int, turn: int, seat: int, reason: str, view: HostView | None) -> None:
        if not self.live[index]:
            return
        self.live[index] = False
        shown = f"{reason}\n{view.text()}" if view is not None else reason
        self.forfeits.append(Forfeit(self.first + index, turn, seat, agent_name(self.team[seat]), shown))


def illegal_reason(action: int, num_actions: int) -> str:
    """Why an action was refused."""
    if not 0 <= action < num_actions:
        return f"action {action} does not exist: ids run from 0 to {num_actions - 1}"
    return f"action {action} is not legal here: choose one where view.legal is True"


def _told(error: BaseException) -> str:
    """An agent's error, and the line of its own code that it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    libraries = (__file__, sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), "<")
    own = [frame for frame in frames if not frame.filename.startswith(libraries)]
    where = f" ({own[-1].filename}, line {own[-1].lineno})" if own else ""
    return f"{type(error).__name__}: {error}{where}"


def _as_action(value: Any, num_actions: int) -> int:
    """What an agent returned, as an id that fits the step's integers; nonsense raises."""
    number = int(value)
    if number != value:
        raise ValueError(f"act returned {value!r}; return a whole number from 0 to {num_actions - 1}")
    return number if -(2**15) <= number < 2**15 else num_actions
