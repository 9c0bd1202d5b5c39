"""Views as a plain agent gets them: numpy, brought over from a batch of games when first asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np

from coplay.compiling import quick_jit
from coplay.game import Game


class HostView:
    """A view of one game: every field and property of the game's own view, `legal`, `vector`, `text()` and `game`."""

    def __init__(self, batch: Batch, index: int) -> None:
        self._batch, self._index = batch, index
        self.game = batch.game

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._batch.names:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        value = self.__dict__[name] = self._batch.pick(name, self._index)
        return value

    def __reduce__(self) -> tuple[Any, ...]:
        return HostView, (self._batch.only(self._index), 0)  # a copy does not take the other games along

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._batch.names})

    def whole(self) -> Any:
        """The view as the game made it."""
        return self._batch.one(self._index)

    def text(self) -> str:
        """The view in words; of a game without words, its numbers."""
        return view_text(self.whole())

    def __repr__(self) -> str:
        return self.text()

    def _repr_svg_(self) -> str | None:
        view = self.whole()
        return view._repr_svg_() if hasattr(view, "_repr_svg_") else None


class Batch:
    """One seat's views of many games, computed in one call; only what agents ask for is copied to the host."""

    def __init__(self, game: Game, view: Any, derived: dict[str, Any]) -> None:
        self.game, self.view, self._derived = game, view, derived
        self.fields = fields_of(view)
        self.names = dict.fromkeys([*self.fields, *derived])
        self._host: dict[str, tuple[list[np.ndarray], Any]] = {}

    def column(self, name: str) -> Any:
        """A field or property of all games, as arrays that may be written to."""
        if name not in self._host:
            found = self._derived[name] if name in self._derived else self.fields[name]
            leaves, shape = jax.tree.flatten(jax.device_get(found))
            self._host[name] = [np.array(leaf) for leaf in leaves], shape
        leaves, shape = self._host[name]
        return shape.unflatten(leaves)

    def pick(self, name: str, index: int) -> Any:
        """A field or property of one game."""
        return jax.tree.map(lambda leaf: leaf[index], self.column(name))

    def one(self, index: int) -> Any:
        """The view of one game as the game made it."""
        return jax.tree.map(lambda leaf: np.asarray(leaf)[index], self.view)

    def only(self, index: int) -> Batch:
        """The batch of this game alone."""
        view, derived = jax.tree.map(lambda leaf: np.asarray(leaf)[index : index + 1], (self.view, self._derived))
        return Batch(self.game, view, derived)


class Views:
    """What an agent that answers for many games at once is asked: one view per row.

    `legal` [rows, actions] and `vector` [rows, ...] are whole arrays; iterating gives single views.
    """

    def __init__(self, batch: Batch, rows: np.ndarray, seat: int) -> None:
        self._batch, self.games, self.seat = batch, rows, seat  # games: int [rows], which game each row is of

    @property
    def legal(self) -> np.ndarray:
        return self._batch.column("legal")[self.games]

    @property
    def vector(self) -> np.ndarray:
        return self._batch.column("vector")[self.games]

    def whole(self) -> Any:
        """The views as the game made them, [rows, ...]."""
        return jax.tree.map(lambda leaf: np.asarray(leaf)[self.games], self._batch.view)

    def __len__(self) -> int:
        return len(self.games)

    def __getitem__(self, row: int) -> HostView:
        return HostView(self._batch, int(self.games[row]))

    def __iter__(self) -> Iterator[HostView]:
        return (self[row] for row in range(len(self)))


def fields_of(view: Any) -> dict[str, Any]:
    """The parts of a view by name: of a dataclass, a NamedTuple or a dictionary; else the whole as `value`."""
    if dataclasses.is_dataclass(view):
        named = [field.name for field in dataclasses.fields(view) if not field.metadata.get("static")]
        found = {name: getattr(view, name) for name in named}
    elif hasattr(view, "_fields"):
        found = view._asdict()
    elif isinstance(view, dict):
        found = {str(name): value for name, value in view.items()}
    else:
        found = {"value": view}
    return {name: value for name, value in found.items() if not name.startswith("_")}


def properties_of(view: Any) -> dict[str, Any]:
    """The arrays that a view computes."""
    names = [name for name, value in vars(type(view)).items() if isinstance(value, property)]
    return {name: getattr(view, name) for name in names if not name.startswith("_")}


def derived_from(game: Game, view: Any) -> dict[str, Any]:
    """What a plain agent may ask of every view, besides its fields."""
    found = properties_of(view)
    if "legal" not in found:
        found["legal"] = game.legal(view)
    if "vector" not in found:
        found["vector"] = game.encode(view)
    return found


def view_text(view: Any) -> str:
    """A view in words; of a game without words, its numbers."""
    if hasattr(view, "text"):
        return view.text()
    return "\n".join(numbers_of(view))


def numbers_of(thing: Any) -> list[str]:
    """The parts of a view or a state with their names, a line each."""
    return [f"{name}: {jax.tree.map(_shortly, value)}" for name, value in fields_of(thing).items()]


def _shortly(leaf: Any) -> Any:
    """As Python has it; a fraction without the digits that are noise of its 32 bits."""
    array = np.asarray(leaf)
    if not np.issubdtype(array.dtype, np.floating):
        return array.tolist()
    return np.array([float(f"{number:.6g}") for number in array.reshape(-1)]).reshape(array.shape).tolist()


@quick_jit
def _views(game: Game, seat: Any, states: Any) -> tuple[Any, dict[str, Any]]:
    def one(state: Any) -> tuple[Any, dict[str, Any]]:
        view = game.view(state, seat)
        return view, derived_from(game, view)

    return jax.vmap(one)(states)


def batch_of(game: Game, states: Any, seat: int) -> Batch:
    """One seat's views of a batch of games. The seat is an argument, so one program serves all seats."""
    return Batch(game, *_views(game, np.asarray(seat, np.int32), states))


def host_views(game: Game, states: Any, seat: int, which: np.ndarray) -> list[HostView]:
    """The views of one seat in the games numbered `which` of a batch."""
    batch = batch_of(game, states, seat)
    return [HostView(batch, index) for index in which.tolist()]
