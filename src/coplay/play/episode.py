"""What happened: starts, actions, scores. Small; everything else is replayed from it."""

from __future__ import annotations

import dataclasses
from typing import Any

import jax
import numpy as np

from coplay.games.game import Game


@dataclasses.dataclass(frozen=True)
class Forfeit:
    """A game that an agent broke off; it counts as score 0."""

    game: int  # index of the game
    turn: int
    seat: int
    agent: str
    reason: str  # what it did, and the view it had as text

    def __str__(self) -> str:
        return f"game {self.game}, turn {self.turn}, seat {self.seat} ({self.agent}): {self.reason}"


@dataclasses.dataclass(frozen=True)
class Episodes:
    """Games of one team, as played."""

    game: Game
    names: tuple[str, ...]  # agent of each seat
    starts: Any  # initial states, a pytree of numpy arrays [games, ...]
    actions: (
        np.ndarray
    )  # int16 [games, turns]: of the acting seat, -1 after the end; simultaneous: [games, turns, players]
    lengths: np.ndarray  # int32 [games]
    scores: np.ndarray  # float32 [games]; 0 for a forfeited game
    forfeits: tuple[Forfeit, ...] = ()

    def __len__(self) -> int:
        return len(self.scores)

    def part(self, begin: int, end: int) -> Episodes:
        """Some of the games, numbered from 0 again."""
        rows = slice(begin, end)
        return dataclasses.replace(
            self,
            starts=jax.tree.map(lambda leaf: leaf[rows], self.starts),
            actions=self.actions[rows],
            lengths=self.lengths[rows],
            scores=self.scores[rows],
            forfeits=tuple(
                dataclasses.replace(one, game=one.game - begin) for one in self.forfeits if begin <= one.game < end
            ),
        )

    @property
    def decks(self) -> np.ndarray:
        """int32 [games, cards, 2] of (color, rank), for card games."""
        deck_of = getattr(self.game, "deck_of", None)
        if deck_of is None:
            raise AttributeError(f"{self.game.name} has no decks")
        return deck_of(self.starts)
