"""The two faces of a player. A person writes the plain one; the machine vectorises the pure one."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any, Literal, Protocol, runtime_checkable

import jax
import numpy as np

Array = jax.Array
Memory = Any
Hears = Literal["own", "every"]


@runtime_checkable
class Policy(Protocol):
    """A pure JAX player: a pytree (an Equinox module) without side effects, run by the thousand in a compiled loop.

    One that can learn from games of the team it will join also has `observe_games(games)`, which returns the policy
    that plays having seen them (see `Agent.observe_games`).
    """

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    @property
    def hears(self) -> str:
        """When its memory advances.

        "own": `act` counts only on the seat's own turns. "every": `act` is called with the seat's view on every turn of
        the game, so it sees each move once; the action it returns off turn is ignored. Mixing the two up costs points
        silently, which is why every policy says which it is.
        """
        ...

    def start(self) -> Memory:
        """The memory of one seat of one game before its first call."""
        ...

    def act(self, memory: Memory, view: Any, key: Array) -> tuple[Memory, Array]:
        """The memory after this view, and an action id."""
        ...


def unnamed(policy: Any) -> Any:
    """The same policy to a compiler: those that differ in their names alone share one compiled program."""
    if not dataclasses.is_dataclass(policy) or all(field.name != "name" for field in dataclasses.fields(policy)):
        return policy
    twin = copy.copy(policy)
    object.__setattr__(twin, "name", "")  # policies are frozen; `replace` would build this one anew
    return twin


class Agent:
    """A plain Python player: a language model, a PyTorch network, a remote player, a person.

    One object plays one seat of one game at a time; `play` makes as many copies as it needs. One that would rather
    answer for many games at once, as a network on a GPU does, defines `act_batch(views)`: it is then asked once per
    round for all games of its seat. `views.vector` and `views.legal` are whole arrays, `views.games` the numbers of the
    games, and `reset_batch(seat, players, seeds)` is called before the first of them, if it is there. An answer that is
    an exception loses that game alone.

    One whose moves cost something has `spent`, a dictionary of what all of its copies together have cost so far
    (tokens, dollars); measures keep it with the results.
    """

    name = "agent"
    hears: str = "own"  # "every": `watch` is called on the turns of the others
    # It minds its own time (a language model on a busy server), so no limit applies to its moves.
    keeps_time = False
    seed: int = 0  # set before `reset`: a number of this seat of this game alone, to draw from

    def __init_subclass__(cls, **given: Any) -> None:
        super().__init_subclass__(**given)
        if cls.name == Agent.name:
            cls.name = cls.__name__  # what reports call it, unless it says otherwise

    def warm_up(self) -> None:
        """Before the first game, outside any time limit: the place to compile or to load."""

    def reset(self, seat: int, players: int) -> None:
        """A new game begins."""
        if callable(reset := getattr(self, "reset_batch", None)):
            reset(seat, players, np.asarray([self.seed]))

    def act(self, view: Any) -> int:
        """The id of a legal action; `view.legal`, `view.vector`, `view.text()` and the game's own fields are numpy."""
        if callable(act := getattr(self, "act_batch", None)):
            answer: Any = act(OneView(view))
            return int(answer[0])
        raise NotImplementedError(f"{type(self).__name__} does not say how to act: define act(self, view) -> int")

    def watch(self, view: Any) -> None:
        """Another seat is to move; the view shows the move before. Called only if `hears` is "every"."""

    def observe_games(self, games: Any) -> Agent | Policy | str | None:
        """Before it joins a team it does not know: games (`Episodes`) of that team without it, perhaps none.

        What it learns it may keep in itself, and return None; or it may return who shall play in its place: an agent,
        a policy or a spec. The ad-hoc measure asks an agent that defines this; every trial begins with a fresh copy.
        """
        return None


def answers_for_many(player: Agent | Policy) -> bool:
    """Is it asked once for all its games?"""
    return callable(getattr(player, "act_batch", None))


def can_learn(player: Agent | Policy) -> bool:
    """Does it do anything with games of others?"""
    hook = getattr(player, "observe_games", None)
    return hook is not None and getattr(hook, "__func__", None) is not Agent.observe_games


class OneView:
    """A single view for an agent that answers for many."""

    def __init__(self, view: Any) -> None:
        self.games, self._view = np.zeros(1, np.int64), view

    @property
    def legal(self) -> np.ndarray:
        return np.asarray(self._view.legal)[None]

    @property
    def vector(self) -> np.ndarray:
        return np.asarray(self._view.vector)[None]

    def whole(self) -> Any:
        """The view as the game made it, with an axis of rows."""
        return jax.tree.map(lambda leaf: np.asarray(leaf)[None], self._view.whole())

    def __len__(self) -> int:
        return 1

    def __iter__(self) -> Any:
        return iter((self._view,))


class AgentError(ValueError):
    """An agent cannot be made or did something it must not; the message names it, the rule and the remedy."""


class CannotGoOn(AgentError):
    """What an agent needs is gone (its server, its budget): the command stops, and no game is lost by it."""
