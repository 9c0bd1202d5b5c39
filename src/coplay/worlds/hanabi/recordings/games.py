"""Recorded Hanabi games in plain arrays: the one shape that every format is read into and written from."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from coplay.data import DataError
from coplay.data.people import said_alike

if TYPE_CHECKING:
    from coplay.worlds.hanabi import Hanabi
    from coplay.worlds.hanabi.variants import Name


@dataclasses.dataclass(frozen=True, eq=False)
class Games:
    """Games of the standard rules or of one variant, all with the same number of players; seat 0 starts, turn t is seat
    t mod players.

    A recording may stop before the rules end the game, because no further point was possible. `lengths` says how many
    moves there are: never play what lies beyond.
    """

    players: int
    game_ids: np.ndarray  # int32 [games]
    scores: np.ndarray  # int32 [games]
    decks: np.ndarray  # int32 [games, cards, 2] of (color, rank), dealt from index 0
    actions: np.ndarray  # int32 [games, turns]: of the acting seat, -1 after the last move
    lengths: np.ndarray  # int32 [games]: moves
    extra: dict[str, np.ndarray] = dataclasses.field(default_factory=dict)  # more about each game: [games, ...]
    variant: Name = "none"

    def __len__(self) -> int:
        return len(self.scores)

    def __getitem__(self, which: Any) -> Games:
        """The chosen games: an index, a slice, a list of indices or a mask. All keep the same number of turns."""
        rows = np.atleast_1d(np.arange(len(self))[which])
        return dataclasses.replace(
            self,
            game_ids=self.game_ids[rows],
            scores=self.scores[rows],
            decks=self.decks[rows],
            actions=self.actions[rows],
            lengths=self.lengths[rows],
            extra={name: values[rows] for name, values in self.extra.items()},
        )

    def __repr__(self) -> str:
        extra = f", with {', '.join(self.extra)}" if self.extra else ""
        return f"<{len(self)} games of {self.players} players{extra}>"

    @property
    def game(self) -> Hanabi:
        """The rules they were played by."""
        return standard_game(self.players, self.variant)


def standard_game(players: int, variant: Name = "none") -> Hanabi:
    """The game of the standard rules, or of those of a variant: the only ones these recordings know."""
    from coplay.worlds.hanabi import Hanabi

    return Hanabi(players=players, variant=variant)


def join(parts: Sequence[Games]) -> Games:
    """All the games of several sets in one; what only some of them say about their games is left out."""
    players = {part.players for part in parts}
    variants: set[Name] = {part.variant for part in parts}
    if len(players) != 1:
        raise DataError(f"the sets hold games of {', '.join(map(str, sorted(players)))} players; join like with like.")
    if len(variants) != 1:
        raise DataError(f"the sets hold games of the variants {', '.join(sorted(variants))}; join like with like.")
    turns = max(part.actions.shape[1] for part in parts)
    (count,) = players
    told = said_alike([part.extra for part in parts], [len(part) for part in parts], count)
    return Games(
        players=count,
        game_ids=np.concatenate([part.game_ids for part in parts]),
        scores=np.concatenate([part.scores for part in parts]),
        decks=np.concatenate([part.decks for part in parts]),
        actions=np.concatenate([_lengthened(part.actions, turns) for part in parts]),
        lengths=np.concatenate([part.lengths for part in parts]),
        extra={name: np.concatenate([one[name] for one in told]) for name in sorted(set.intersection(*map(set, told)))},
        variant=variants.pop(),
    )


def _lengthened(actions: np.ndarray, turns: int) -> np.ndarray:
    return np.pad(actions, ((0, 0), (0, turns - actions.shape[1])), constant_values=-1)
