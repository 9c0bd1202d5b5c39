"""What every game promises: rules as pure functions over small pytrees.

A game is a frozen dataclass of settings; a state is a pytree of small numbers. Nothing here owns agents, random
generators or files. Everything may be jitted, vmapped and scanned; the batch axis never appears in a signature.
What a game may offer besides (pictures, words, unit tests, …) are its faces: `coplay.faces`.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol, runtime_checkable

import jax
import numpy as np
from jax.core import Tracer

State = Any
View = Any
Array = jax.Array


def brief(value: Any) -> str:
    """A number as it is; of an array only type and shape."""
    if isinstance(value, Tracer) or getattr(value, "ndim", 0):
        return f"{value.dtype}{list(value.shape)}"
    if hasattr(value, "item"):
        return f"{value.item():g}" if np.issubdtype(value.dtype, np.floating) else str(value.item())
    return repr(value)


class Step(NamedTuple):
    """What one joint action did."""

    state: State
    reward: Array  # float32 []: shared by the team; of two sides the first one's, the other has what it loses
    done: Array  # bool []: no further action will be accepted
    events: Any  # a NamedTuple with at least `illegal`: bool [players]

    def __repr__(self) -> str:
        return f"Step(reward={brief(self.reward)}, done={brief(self.done)}, state={self.state!r})"


class Symmetry(NamedTuple):
    """One relabelling of a game, as index tables: `new = old[table]` for encodings and legal masks.

    The relabelled encoding reads `encoding.reshape(-1)[bits]`; an action chosen in the relabelled world means
    `actions[action]` in the original one.
    """

    bits: Array  # int32 [observation size]
    actions: Array  # int32 [num_actions]: relabelled action -> original action


@runtime_checkable
class Game(Protocol):
    """The signatures all games share; `coplay.testing.check_game` tests the laws behind them.

    Games in which two teams play against each other say `sides = 2`; see `coplay.sides`.

    A game of your own needs `players`, `num_actions`, `max_steps`, `reset`, `step`, `view`, `legal`, `turn` and
    `score`; what else it leaves out, `coplay.completion` fills in.
    """

    @property
    def name(self) -> str: ...  # what `coplay.make` calls it
    @property
    def version(self) -> int: ...  # moves when, and only when, behaviour moves
    @property
    def players(self) -> int: ...
    @property
    def simultaneous(self) -> bool: ...  # True if several seats act in one step
    @property
    def truncates(self) -> bool: ...  # True if a clock cuts episodes off, which is no outcome of play
    @property
    def num_actions(self) -> int: ...
    @property
    def observation_shape(self) -> tuple[int, ...]: ...
    @property
    def max_steps(self) -> int: ...  # no episode is longer
    @property
    def max_score(self) -> float | None: ...  # None where nobody knows it

    def reset(self, key: Array) -> State:
        """A fresh state; all chance of the whole episode is decided here."""
        ...

    def step(self, state: State, actions: Array) -> Step:
        """Plays int[players] actions; entries of seats not to move are ignored.

        An illegal action is marked in `events.illegal` and changes nothing. After the end nothing changes.
        """
        ...

    def view(self, state: State, seat: Array | int) -> View:
        """All that `seat` may know, and nothing more."""
        ...

    def encode(self, view: View) -> Array:
        """What a network reads, of `observation_shape`."""
        ...

    def legal(self, view: View) -> Array:
        """bool[num_actions]: what the view's seat may do now; all False off turn and after the end."""
        ...

    def turn(self, state: State) -> Array:
        """bool[players]: who is to act."""
        ...

    def score(self, state: State) -> Array:
        """The game's number so far; after the end, the final one. Of two sides: by how much the first one leads."""
        ...

    @property
    def symmetries(self) -> Any:
        """Relabellings that change nothing that matters: `len()`, `sample(key)`, `[i]` -> Symmetry."""
        ...


class GameError(ValueError):
    """Bad input to a game; the message names the value, the rule and the remedy."""
