"""One game, driven as an environment: reset, step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coplay_client.batch import Turn

if TYPE_CHECKING:
    from coplay_client.space import EvaluationSpace

Step = tuple[np.ndarray, float, bool, np.ndarray]


class Environment:
    """A game with partners you have not met. `step` returns when it is your turn again or the game is over."""

    def __init__(self, space: EvaluationSpace, turn: Turn) -> None:
        self._space, self._turn = space, turn
        self.game = turn.game
        self.configuration = turn.configuration
        self.done = False
        self.score: float | None = None  # of a rehearsal, when it is over; of rated games, see `space.results`

    @property
    def seat(self) -> int:
        """Whose turn it is, of your seats."""
        return self._turn.seat

    @property
    def turn(self) -> Turn:
        """Everything about this turn: text, view, seconds left."""
        return self._turn

    def reset(self) -> tuple[np.ndarray, np.ndarray]:
        """The first observation [size] and the legal actions, bool [actions]; a game that goes on goes on."""
        return self._seen()

    def step(self, action: Any) -> Step:
        """Plays; returns observation, reward, done, legal actions. The reward is the score when a rehearsal is over.

        Rated games keep their score until all are over: their rewards are 0.
        """
        if self.done:
            raise ValueError(f"game {self.game} is over; ask the space for its next_environment().")
        if isinstance(action, bool) or not isinstance(action, int | np.integer):
            raise ValueError(
                f"{action!r} is not an action; give a whole number from 0 to {self.configuration.actions - 1}."
            )
        turn = self._space._play_one(self._turn, int(action))
        if turn is None:
            self.done = True
            self.score = self._space.over[self.game][1]
        else:
            self._turn = turn
        vector, legal = self._seen()
        return vector, self.score or 0.0, self.done, legal

    def _seen(self) -> tuple[np.ndarray, np.ndarray]:
        assert self._turn.vector is not None
        assert self._turn.legal is not None
        return self._turn.vector, self._turn.legal
