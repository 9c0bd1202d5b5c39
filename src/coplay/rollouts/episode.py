"""What happened: starts, actions, scores. Small; everything else is replayed from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import jax
import numpy as np


def forfeited_score(score: float, sign: int = 1) -> float:
    """What a game counts that was broken off at this score: 0, or less where it stood below. Leaving undoes no loss.

    `sign`: -1 where the second of two sides left, for which the score counts the other way round.
    """
    return sign * min(0.0, sign * float(score)) + 0.0


@dataclasses.dataclass(frozen=True)
class Forfeit:
    """A game that an agent broke off; it counts as `forfeited_score` says."""

    game: int  # index of the game
    turn: int
    seat: int
    agent: str
    reason: str  # what it did, and the view it had as text

    def __str__(self) -> str:
        return f"game {self.game}, turn {self.turn}, seat {self.seat} ({self.agent}): {self.reason}"


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Episodes:
    """Games of one team, as played."""

    game: Any  # a Game; every one has a class of its own
    names: tuple[str, ...]  # agent of each seat
    starts: Any  # initial states, a pytree of numpy arrays [games, ...]
    actions: (
        np.ndarray
    )  # int16 [games, turns]: of the acting seat, -1 after the end; simultaneous: [games, turns, players]
    lengths: np.ndarray  # int32 [games]
    scores: np.ndarray  # float32 [games]; of a forfeited game `forfeited_score`
    forfeits: tuple[Forfeit, ...] = ()
    facts: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)  # [games]: what else the ends tell
    extra: Mapping[str, np.ndarray] = dataclasses.field(default_factory=dict)  # [games, ...]: what a file tells of them

    def __len__(self) -> int:
        return len(self.scores)

    def __repr__(self) -> str:
        team = ", ".join(self.names)
        mean = f", mean score {self.scores.mean():.2f}" if len(self) else ""
        lost = f", {len(self.forfeits)} forfeited" if self.forfeits else ""
        return f"<{len(self)} games of {self.game.name} by {team}{mean}{lost}>"

    def __getitem__(self, which: Any) -> Episodes:
        """Some of the games, numbered from 0 again: an index, a slice, a list of indices or a mask."""
        rows = np.atleast_1d(np.arange(len(self))[which])
        place = {int(row): number for number, row in enumerate(rows)}
        return dataclasses.replace(
            self,
            starts=jax.tree.map(lambda leaf: leaf[rows], self.starts),
            actions=self.actions[rows],
            lengths=self.lengths[rows],
            scores=self.scores[rows],
            forfeits=tuple(
                dataclasses.replace(one, game=place[one.game]) for one in self.forfeits if one.game in place
            ),
            facts={name: column[rows] for name, column in self.facts.items()},
            extra={name: column[rows] for name, column in self.extra.items()},
        )

    def to_dataframe(self) -> Any:
        """One row per game; needs pandas."""
        import pandas  # pyright: ignore[reportMissingImports]

        broken = {one.game: str(one) for one in self.forfeits}
        columns = {"game": np.arange(len(self)), "score": self.scores, "length": self.lengths, **self.facts}
        columns["forfeit"] = [broken.get(game, "") for game in range(len(self))]
        return pandas.DataFrame(columns)

    @property
    def decks(self) -> np.ndarray:
        """int32 [games, cards, 2] of (color, rank), for card games."""
        deck_of = getattr(self.game, "deck_of", None)
        if deck_of is None:
            raise AttributeError(f"{self.game.name} has no decks")
        return deck_of(self.starts)


def joint_actions(episodes: Episodes) -> np.ndarray:
    """int32 [games, turns, players]: in a turn game every seat's entry is the action of the seat to move."""
    actions = np.asarray(episodes.actions, np.int32)
    return np.repeat(actions[..., None], episodes.game.players, -1) if actions.ndim == 2 else actions
