"""One game out of a file of any format that we read, to be looked at."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import jax
import numpy as np

from coplay.data import DataError
from coplay.data.ah2ac2 import load_games
from coplay.data.hanablive import from_json, replay
from coplay.data.hanablive_games import read_sources
from coplay.data.kinds import kind_of
from coplay.data.overcooked import Trial, load_trials
from coplay.games.hanabi import Hanabi
from coplay.play.episode import Episodes
from coplay.play.episode_file import load


def read_game(path: str | Path, index: int) -> Episodes:
    """Game `index` of coplay's episodes, hanab.live's JSON, the AH2AC2 format or trials of Overcooked, alone."""
    path = Path(path)
    kind = kind_of(path)
    if kind == "episodes":
        return _only(path, load(path), index)
    if kind == "hanablive":
        sources = read_sources(path)
        _check_index(path, len(sources), index)
        game = from_json(sources[index], partial=True)
        return _recorded(game.game, game.deck, game.actions, game.names)
    if kind == "overcooked":
        trials = load_trials(path)
        _check_index(path, len(trials), index)
        return _cooked(trials[index])
    games = load_games(path, check=False)  # the one that is looked at is checked when it is played
    _check_index(path, len(games), index)
    actions = games.actions[index, : games.lengths[index]].tolist()
    score = float(games.scores[index])
    return _recorded(games.game, games.decks[index], actions, ("player",) * games.players, score)


def _check_index(path: Path, count: int, index: int) -> None:
    if not 0 <= index < count:
        raise DataError(f"{path}: there is no game {index}; the file has games 0 to {count - 1}.")


def _only(path: Path, episodes: Episodes, index: int) -> Episodes:
    _check_index(path, len(episodes), index)
    if isinstance(episodes.game, Hanabi):
        episodes.game.check_deck(episodes.decks[index])
    return episodes.part(index, index + 1)


def _cooked(trial: Trial) -> Episodes:
    return Episodes(
        game=trial.game,
        names=("person",) * trial.game.players,
        starts=jax.tree.map(lambda leaf: np.asarray(leaf)[None], jax.device_get(trial.start)),
        actions=trial.actions.astype(np.int16)[None],
        lengths=np.asarray([len(trial.actions)], np.int32),
        scores=np.asarray([trial.score], np.float32),
    )


def _recorded(
    game: Hanabi, deck: np.ndarray, actions: Sequence[int], names: tuple[str, ...], score: float | None = None
) -> Episodes:
    """A game from elsewhere as an episode; without a recorded score it has the one that its moves make."""
    start = jax.tree.map(lambda leaf: np.asarray(leaf)[None], jax.device_get(game.deal(deck)))
    if score is None:
        score = float(game.score(replay(game, deck, actions)))
    return Episodes(
        game=game,
        names=names,
        starts=start,
        actions=np.asarray(actions, np.int16)[None],
        lengths=np.asarray([len(actions)], np.int32),
        scores=np.asarray([score], np.float32),
    )
