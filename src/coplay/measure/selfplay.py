"""Self-play: an agent with copies of itself, at least a thousand games."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np

from coplay.games import make
from coplay.measure.study.cast import Named, names_of
from coplay.measure.study.result import NOT_IN_JSON, Result, Rows
from coplay.rollouts.episode import Episodes, Forfeit
from coplay.rollouts.play import play


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class SelfPlay(Result):
    """Scores of one agent's team."""

    agent: str
    games: int
    mean: float
    sd: float  # of single games; NaN for one
    standard_error: float
    median: float
    perfect: float | None  # share of games with the highest possible score; None where nobody knows it
    zero: float  # share of games that ended with nothing
    turns: float
    episodes: Episodes = dataclasses.field(metadata=NOT_IN_JSON)

    @classmethod
    def of(cls, agent: str, episodes: Episodes) -> SelfPlay:
        scores, best = episodes.scores, episodes.game.max_score
        sd = float(scores.std(ddof=1)) if len(scores) > 1 else math.nan
        return cls(
            agent=agent,
            games=len(scores),
            mean=float(scores.mean()),
            sd=sd,
            standard_error=sd / math.sqrt(len(scores)),
            median=float(np.median(scores)),
            perfect=None if best is None else float((scores >= best).mean()),
            zero=float((scores == 0).mean()),
            turns=float(episodes.lengths.mean()),
            episodes=episodes,
        )

    @property
    def scores(self) -> np.ndarray:
        """float32 [games]"""
        return self.episodes.scores

    @property
    def forfeits(self) -> tuple[Forfeit, ...]:
        return self.episodes.forfeits

    @property
    def title(self) -> str:
        return f"{self.agent} with its own copies: {self.mean:.2f} ± {self.standard_error:.2f} in {self.games:,} games"

    def rows(self) -> Rows:
        """One line of a table."""
        figures = {"mean": self.mean, "sd": self.sd, "standard error": self.standard_error, "median": self.median}
        figures |= {"perfect": self.perfect, "zero": self.zero, "turns": self.turns}
        return [{"agent": self.agent, "games": self.games, **figures, "forfeits": len(self.forfeits)}]


def selfplay(
    game: Any, agent: Named, games: int = 1000, seed: int = 0, *, move_seconds: float | None = 60.0
) -> SelfPlay:
    """Plays `games` games with the agent in every seat."""
    [(name, player)] = names_of([agent])
    return SelfPlay.of(name, play(make(game), player, games, seed, move_seconds=move_seconds))
