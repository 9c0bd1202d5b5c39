"""Self-play as the Hanabi challenge reports it: an agent with copies of itself, at least a thousand games."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from coplay.games.game import Game
from coplay.play.episode import Episodes, Forfeit
from coplay.play.play import play
from coplay.play.team import Player


class SelfPlay(NamedTuple):
    """Scores of one agent's team, one row per game."""

    episodes: Episodes

    @property
    def scores(self) -> np.ndarray:
        """float32 [games]"""
        return self.episodes.scores

    @property
    def lengths(self) -> np.ndarray:
        """int32 [games]: turns"""
        return self.episodes.lengths

    @property
    def forfeits(self) -> tuple[Forfeit, ...]:
        return self.episodes.forfeits

    @property
    def mean(self) -> float:
        return float(self.scores.mean())

    @property
    def sd(self) -> float:
        """Of single games; NaN for one."""
        return float(self.scores.std(ddof=1)) if len(self.scores) > 1 else float("nan")

    @property
    def standard_error(self) -> float:
        return self.sd / math.sqrt(len(self.scores))

    @property
    def median(self) -> float:
        return float(np.median(self.scores))

    @property
    def perfect(self) -> float:
        """Share of games with the highest possible score."""
        best = self.episodes.game.max_score
        return float("nan") if best is None else float((self.scores >= best).mean())

    @property
    def zero(self) -> float:
        """Share of games that ended with nothing: in Hanabi, mostly games lost by the last life."""
        return float((self.scores == 0).mean())

    def row(self) -> dict[str, float | int | None]:
        """One line of a table; None where nothing is known."""
        figures = {"mean": self.mean, "sd": self.sd, "standard error": self.standard_error, "median": self.median}
        figures |= {"perfect": self.perfect, "zero": self.zero, "turns": float(self.lengths.mean())}
        known = {name: None if math.isnan(value) else value for name, value in figures.items()}
        return {"games": len(self.scores), **known, "forfeits": len(self.forfeits)}


def selfplay(game: Game, agent: str | Player, games: int = 1000, seed: int = 0) -> SelfPlay:
    """Plays `games` games with the agent in every seat."""
    return SelfPlay(play(game, agent, games, seed))
