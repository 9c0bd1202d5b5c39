"""Cross-play: every agent with every other, on the same deals."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import as_completed
from typing import Any, NamedTuple

import numpy as np

from coplay.games.game import Game
from coplay.measure import MeasureError
from coplay.measure.processes import processes
from coplay.play.play import play
from coplay.play.progress import progress_bar
from coplay.play.team import Player, agent_name, seat_team


class CrossPlay(NamedTuple):
    """Scores of ordered pairs: agent i sits in seat 0, agent j in all the others. Larger teams: `team_play`."""

    names: tuple[str, ...]
    scores: np.ndarray  # float32 [agents, agents, games]
    forfeits: tuple[str, ...]

    @property
    def mean(self) -> np.ndarray:
        """float [agents, agents]"""
        return self.scores.mean(-1)

    @property
    def median(self) -> np.ndarray:
        """float [agents, agents]"""
        return np.median(self.scores, -1)

    @property
    def standard_error(self) -> np.ndarray:
        """float [agents, agents]"""
        games = self.scores.shape[-1]
        return self.scores.std(-1, ddof=1) / np.sqrt(games) if games > 1 else np.full(self.scores.shape[:2], np.nan)


def crossplay(game: Game, agents: Sequence[str | Player], games: int = 1000, seed: int = 0, jobs: int = 1) -> CrossPlay:
    """Plays every ordered pair of agents; the diagonal is self-play. `jobs` processes share the pairs."""
    made, names = make_all(game, agents, jobs)
    scores = np.zeros((len(made), len(made), games), np.float32)
    forfeits: dict[Key, list[str]] = {}
    teams = {(i, j): (i, *[j] * (game.players - 1)) for i in range(len(made)) for j in range(len(made))}
    members = names if jobs > 1 else made
    with progress_bar("cross-play", len(teams)) as advance:
        for (i, j), found, lost in play_all(game, members, teams, games, seed, jobs):
            scores[i, j] = found
            forfeits[i, j] = [f"{names[i]} with {names[j]}: {words}" for words in lost]
            advance(1)
    return CrossPlay(names, scores, tuple(words for pair in teams for words in forfeits[pair]))


def make_all(game: Game, agents: Sequence[str | Player], jobs: int) -> tuple[list[Player], tuple[str, ...]]:
    """The agents, ready to play, and their names."""
    if jobs > 1 and not all(isinstance(spec, str) for spec in agents):
        raise MeasureError("several jobs make the agents anew in other processes; name the agents by their specs.")
    made = [seat_team(game, agent)[0] for agent in agents]
    names = (spec if isinstance(spec, str) else agent_name(agent) for spec, agent in zip(agents, made, strict=True))
    return made, tuple(names)


Key = tuple[int, ...]


def play_all(
    game: Game, members: Sequence[str | Player], teams: dict[Key, Key], games: int, seed: int, jobs: int
) -> Iterator[tuple[Key, np.ndarray, list[str]]]:
    """Every team's scores and forfeits, in the order they are done; `teams`: key -> members' numbers in seat order."""
    seated = {key: [members[agent] for agent in team] for key, team in teams.items()}
    if jobs == 1:
        for key, team in seated.items():
            yield key, *_play_team(game, team, games, seed)
        return
    with processes(jobs) as pool:
        tasks = {pool.submit(_play_team, game, team, games, seed): key for key, team in seated.items()}
        for task in as_completed(tasks):
            yield tasks[task], *task.result()


def _play_team(game: Game, team: list[Any], games: int, seed: int) -> tuple[np.ndarray, list[str]]:
    result = play(game, team, games, seed, engine="lockstep", progress=False)
    return result.scores, [str(forfeit) for forfeit in result.forfeits]
