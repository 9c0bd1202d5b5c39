"""Recorded games as episodes, which the rest of the package plays, learns from and judges, and back."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.compiling import quick_jit
from coplay.data import DataError
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import EpisodeFileError, is_episode_file, load, save
from coplay.worlds.hanabi.recordings.games import Games, standard_game
from coplay.worlds.hanabi.recordings.hanablive import rotated
from coplay.worlds.hanabi.settings import Hanabi

IDS = "game_ids"
CHUNK = 4096


def to_episodes(games: Games, name: str = "player") -> Episodes:
    """The games as episodes; `name` stands for whoever played."""
    game = games.game
    return Episodes(
        game=game,
        names=(name,) * game.players,
        starts=_dealt(game, games.decks),
        actions=games.actions.astype(np.int16),
        lengths=games.lengths.astype(np.int32),
        scores=games.scores.astype(np.float32),
        extra={IDS: games.game_ids.astype(np.int32), **games.extra},
    )


def _dealt(game: Hanabi, decks: np.ndarray) -> Any:
    """The states that decks begin with; in batches of few sizes, so that little compiles."""
    count = len(decks)
    size = min(CHUNK, max(8, 1 << (count - 1).bit_length()))
    parts = []
    for first in range(0, count, size):
        rows = np.minimum(np.arange(first, first + size), count - 1)
        parts.append(jax.device_get(_deal(game, jnp.asarray(decks[rows], jnp.int32))))
    return jax.tree.map(lambda *leaves: np.concatenate(leaves)[:count], *parts)


@quick_jit
def _deal(game: Hanabi, decks: Any) -> Any:
    return jax.vmap(lambda deck: game.deal(deck))(decks)


def from_episodes(source: Episodes | str | Path) -> Games:
    """The whole games among the episodes; forfeited ones are left out. A game's id is its index unless it has one.

    Whoever started becomes seat 0, and every other seat moves with it.
    """
    if isinstance(source, str | Path):
        source = _read(Path(source))
    game = _standard(source.game)
    whole = np.setdiff1d(np.arange(len(source.scores)), [forfeit.game for forfeit in source.forfeits])
    if not whole.size:
        raise DataError("every one of these games was forfeited; there is nothing to keep.")
    seats, every = np.asarray(source.starts.seat).reshape(-1), source.decks
    decks = [rotated(game, every[row], int(seats[row])) for row in whole]
    lengths = source.lengths[whole].astype(np.int32)
    about = dict(source.extra)
    return Games(
        players=game.players,
        game_ids=about.pop(IDS, np.arange(len(source.scores), dtype=np.int32))[whole],
        scores=source.scores[whole].astype(np.int32),
        decks=np.stack(decks).astype(np.int32),
        actions=source.actions[whole, : lengths.max()].astype(np.int32),
        lengths=lengths,
        extra={name: values[whole] for name, values in about.items()},
        variant=game.variant,
    )


def save_episodes(path: str | Path, games: Games, name: str = "player") -> None:
    """Writes a file of episodes, which `coplay replay` shows; `name` stands for whoever played."""
    save(to_episodes(games, name), path)


def _read(path: Path) -> Episodes:
    if not is_episode_file(path):
        raise DataError(f"{path}: this is not a file of episodes, which `coplay selfplay AGENT --save FILE` writes.")
    try:
        return load(path)
    except (EpisodeFileError, KeyError) as error:
        raise DataError(f"{path}: this file of episodes cannot be converted ({error}); write it again.") from error


def is_standard(game: Any) -> bool:
    """Is it played by the standard rules? What is observed and who starts do not matter."""
    return isinstance(game, Hanabi) and game.variant == "none" and _is_usual(game)


def _is_usual(game: Hanabi) -> bool:
    """By the rules that its variant has on hanab.live?"""
    usual = standard_game(game.players, game.variant)
    seen = {name: getattr(usual, name) for name in ("observation", "encoding", "start_player", "name")}
    return dataclasses.replace(game, **seen) == usual


def _standard(game: Any) -> Hanabi:
    """The game by the standard rules, or by those of its variant."""
    if isinstance(game, Hanabi) and _is_usual(game):
        return standard_game(game.players, game.variant)
    raise DataError(
        f"{game}: this format holds Hanabi games of the standard rules or of a variant; play `coplay.make('hanabi')`."
    )
