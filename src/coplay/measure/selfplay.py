"""Self-play as the Hanabi challenge reports it: an agent with copies of itself, at least a thousand games."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coplay.games.game import Game
from coplay.play.play import play
from coplay.play.team import Player


class SelfPlay(NamedTuple):
    """Scores of one agent's team, one row per game."""

    scores: np.ndarray  # float32 [games]
    lengths: np.ndarray  # int32 [games]
    max_score: float | None
    forfeits: tuple[str, ...]

    @property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def standard_error(self) -> float:
        return float(self.scores.std(ddof=1) / np.sqrt(len(self.scores))) if len(self.scores) > 1 else float("nan")

    @property
    def perfect(self) -> float:
        """Share of games with the highest possible score."""
        return float("nan") if self.max_score is None else float((self.scores >= self.max_score).mean())

    @property
    def zero(self) -> float:
        """Share of games that ended with nothing: in Hanabi, mostly games lost by the last life."""
        return float((self.scores == 0).mean())


def selfplay(game: Game, agent: str | Player, games: int = 1000, seed: int = 0) -> SelfPlay:
    """Plays `games` games with the agent in every seat."""
    result = play(game, agent, games, seed)
    return SelfPlay(result.scores, result.lengths, game.max_score, tuple(map(str, result.forfeits)))
