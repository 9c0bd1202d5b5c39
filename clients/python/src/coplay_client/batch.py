"""Views of many games at once, as numpy arrays."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


@dataclasses.dataclass(frozen=True)
class Configuration:
    """A game of the challenge, as the server describes it."""

    name: str
    game: str
    players: int
    actions: int
    max_steps: int
    max_score: float | None
    simultaneous: bool
    shape: tuple[int, ...]
    packing: str  # of observations: bits, uint8 or float32

    @classmethod
    def of(cls, name: str, said: dict[str, Any]) -> Configuration:
        known = {key: said[key] for key in ("game", "players", "actions", "max_steps", "max_score", "simultaneous")}
        return cls(
            name=name, shape=tuple(said["observation"]["shape"]), packing=said["observation"]["packing"], **known
        )

    def vectors(self, block: str, rows: int) -> np.ndarray:
        """[rows, *shape] from a message's base64 block."""
        size = int(np.prod(self.shape))
        if self.packing == "bits":
            return unpack_bits(block, rows, size).reshape(rows, *self.shape)
        kind = np.dtype("<f4") if self.packing == "float32" else np.dtype(np.uint8)
        return np.frombuffer(base64.b64decode(block), kind).reshape(rows, *self.shape)


def unpack_bits(block: str, rows: int, size: int) -> np.ndarray:
    """uint8 [rows, size] of 0s and 1s."""
    packed = np.frombuffer(base64.b64decode(block), np.uint8).reshape(rows, -1)
    return np.unpackbits(packed, axis=1, count=size)


@dataclasses.dataclass(frozen=True)
class Turn:
    """One game that waits for an action, or, if not `mine`, a view of somebody else's turn."""

    configuration: Configuration
    game: int
    seat: int
    turn: int
    mine: bool
    seconds_left: float | None
    vector: np.ndarray | None
    legal: np.ndarray | None
    text: str | None
    view: dict[str, Any] | None
    words: np.ndarray | None  # uint32: for `coplay enter`


@dataclasses.dataclass(frozen=True)
class History:
    """A game so far, for an agent that remembers: the views its seats had, and what everybody did."""

    configuration: Configuration
    game: int
    actions: list[list[int]]  # of each turn
    movers: list[int]  # seat that moved first, of each turn
    turns: np.ndarray  # [views]
    seats: np.ndarray  # [views]
    vectors: np.ndarray  # [views, *shape]


class Batch:
    """Games of one configuration that wait for actions; `act` answers them all."""

    def __init__(self, turns: Sequence[Turn], send: Callable[[Sequence[Turn], list[int]], Any]) -> None:
        self.turns, self._send = list(turns), send
        self.configuration = self.turns[0].configuration

    def __len__(self) -> int:
        return len(self.turns)

    @property
    def games(self) -> np.ndarray:
        """int [n]: the numbers of the games in the attempt."""
        return np.asarray([turn.game for turn in self.turns])

    @property
    def seats(self) -> np.ndarray:
        """int [n]: whose views these are."""
        return np.asarray([turn.seat for turn in self.turns])

    @property
    def numbers(self) -> np.ndarray:
        """int [n]: the turn each game is at."""
        return np.asarray([turn.turn for turn in self.turns])

    @property
    def mine(self) -> np.ndarray:
        """bool [n]: is it your turn? Always, unless the space was made with turns="all"."""
        return np.asarray([turn.mine for turn in self.turns])

    @property
    def vectors(self) -> np.ndarray:
        """[n, *shape]: the observations."""
        return np.stack([turn.vector for turn in self.turns])  # pyright: ignore[reportArgumentType, reportCallIssue]

    @property
    def legal(self) -> np.ndarray:
        """bool [n, actions]"""
        return np.stack([turn.legal for turn in self.turns])  # pyright: ignore[reportArgumentType, reportCallIssue]

    @property
    def texts(self) -> list[str | None]:
        """The views in words, if the space was made with want=["text", ...]."""
        return [turn.text for turn in self.turns]

    @property
    def views(self) -> list[dict[str, Any] | None]:
        """The views as plain values, if the space was made with want=["view", ...]."""
        return [turn.view for turn in self.turns]

    def act(self, actions: Any) -> Any:
        """Plays an action in every game; those of turns that are not yours are not sent. Await it in async code."""
        chosen = np.asarray(actions)
        if chosen.shape != (len(self),) or not np.issubdtype(chosen.dtype, np.integer):
            raise ValueError(
                f"give {len(self)} whole numbers, one per game; got {chosen.dtype} of shape {chosen.shape}."
            )
        pairs = [(turn, int(action)) for turn, action in zip(self.turns, chosen, strict=True) if turn.mine]
        return self._send([turn for turn, _ in pairs], [action for _, action in pairs])
