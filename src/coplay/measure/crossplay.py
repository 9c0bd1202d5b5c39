"""Cross-play: every agent with every other, on the same deals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coplay.games.game import Game
from coplay.play.play import play
from coplay.play.progress import progress_bar
from coplay.play.team import Player, agent_name, seat_team


class CrossPlay(NamedTuple):
    """Scores of ordered pairs: agent i sits in seat 0, agent j in all the others."""

    names: tuple[str, ...]
    scores: np.ndarray  # float32 [agents, agents, games]
    forfeits: tuple[str, ...]

    @property
    def mean(self) -> np.ndarray:
        """float [agents, agents]"""
        return self.scores.mean(-1)

    @property
    def standard_error(self) -> np.ndarray:
        """float [agents, agents]"""
        games = self.scores.shape[-1]
        return self.scores.std(-1, ddof=1) / np.sqrt(games) if games > 1 else np.full(self.scores.shape[:2], np.nan)


def crossplay(game: Game, agents: Sequence[str | Player], games: int = 1000, seed: int = 0) -> CrossPlay:
    """Plays every ordered pair of agents; the diagonal is self-play."""
    made = [seat_team(game, agent)[0] for agent in agents]
    names = tuple(
        spec if isinstance(spec, str) else agent_name(agent) for spec, agent in zip(agents, made, strict=True)
    )
    scores = np.zeros((len(made), len(made), games), np.float32)
    forfeits = []
    with progress_bar("cross-play", len(made) ** 2) as advance:
        for i, first in enumerate(made):
            for j, others in enumerate(made):
                team = [first] + [others] * (game.players - 1)
                result = play(game, team, games, seed, engine="lockstep", progress=False)
                scores[i, j] = result.scores
                forfeits += [f"{names[i]} with {names[j]}: {forfeit}" for forfeit in result.forfeits]
                advance(1)
    return CrossPlay(names, scores, tuple(forfeits))
