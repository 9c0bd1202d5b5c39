"""A pool seen from outside: behaviour features, a map, and how often its members would choose differently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import jax
import numpy as np

from coplay.faces import Behaviour, faces_of
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.foresee import foresee
from coplay.measure.stats import Estimate
from coplay.measure.study.validate import numbers
from coplay.rollouts.episode import Episodes
from coplay.rollouts.team import Player

DISTANCE_GAMES = 16  # of each agent, in which every other is asked


class Features(NamedTuple):
    """One agent's behaviour as numbers that may be compared with another's."""

    names: tuple[str, ...]
    values: np.ndarray  # float [features]


class Map(NamedTuple):
    """The plane in which a pool's features differ most (principal components)."""

    places: np.ndarray  # float [members, 2]
    explained: np.ndarray  # float [2]: share of the variance along each axis
    axes: np.ndarray  # float [2, features]: what each axis is made of


def face_of(game: Game) -> Behaviour:
    """What a world counts about behaviour."""
    face = faces_of(game).behaviour
    if face is None:
        raise MeasureError(f"{game.name} counts nothing about behaviour: its world has no `behaviour` face.")
    return face


def features(episodes: Episodes, seats: Iterable[int] | None = None) -> Features:
    """The rates of the game's world, 0 where there was no occasion: of all seats, or of these."""
    mine = None if seats is None else sorted(seats)
    return as_features(face_of(episodes.game).measure([(episodes, mine)]))


def as_features(rates: Mapping[str, Estimate]) -> Features:
    """The rates as numbers to compare; 0 where there was no occasion."""
    return Features(tuple(rates), np.nan_to_num([rate.value for rate in rates.values()]))


def pool_map(values: Iterable[Iterable[float]]) -> Map:
    """Principal components of features [members, features], each column first brought to mean 0 and deviation 1.

    Columns in which nobody differs tell nothing and are left out. The sign of an axis is chosen so that its largest
    weight is positive: the same pool gives the same map.
    """
    rows = numbers("features", values, 2)
    if len(rows) < 2:
        raise MeasureError(f"a map needs two members or more; got {len(rows)}.")
    spread = rows.std(0)
    differs = spread > 1e-12 * np.maximum(np.abs(rows).max(0), 1)
    scaled = np.where(differs, (rows - rows.mean(0)) / np.where(differs, spread, 1), 0)
    left, sizes, right = np.linalg.svd(scaled, full_matrices=False)
    sizes, right = np.append(sizes, [0, 0])[:2], np.vstack([right, np.zeros((2, rows.shape[1]))])[:2]
    left = np.hstack([left, np.zeros((len(rows), 2))])[:, :2]
    signs = np.sign(np.take_along_axis(right, np.abs(right).argmax(1)[:, None], 1))
    signs = np.where(signs == 0, 1, signs)
    total = float((scaled**2).sum()) or 1.0
    return Map(left * sizes * signs[:, 0], sizes**2 / total, right * signs)


def policy_distance(players: Sequence[Player], played: Sequence[Episodes], seed: int = 0) -> np.ndarray:
    """float [players, played]: in the games of column j, how often would player i have chosen another action?

    The player sits in every seat, sees all that happened and is asked before each move; then the recorded move is made.
    The diagonal is 0 for who always does the same, and else says how often somebody differs from itself: distances
    are to be read against it. A network's choice is its likeliest action.
    """
    game = played[0].game
    counts = [min(DISTANCE_GAMES, len(episodes)) for episodes in played]
    # All games in one batch of the longest possible length: a player compiles once and is called a few times.
    shape = (sum(counts), game.max_steps, *played[0].actions.shape[2:])
    actions = np.full(shape, -1, np.int32)
    owner = np.repeat(np.arange(len(played)), counts)
    for j, episodes in enumerate(played):
        actions[owner == j, : episodes.actions.shape[1]] = episodes.actions[: counts[j]]
    starts = jax.tree.map(
        lambda *leaves: np.concatenate([leaf[:count] for leaf, count in zip(leaves, counts, strict=True)]),
        *(episodes.starts for episodes in played),
    )
    lengths = np.concatenate([episodes.lengths[:count] for episodes, count in zip(played, counts, strict=True)])
    found = np.zeros((len(players), len(played)))
    for i, player in enumerate(players):
        seen = foresee(game, player, starts, actions, lengths, seed)
        for j in range(len(played)):
            mine = seen.decides & (owner == j)[:, None, None]
            found[i, j] = 1 - float(seen.hit[mine].mean())
    return found
