"""Sets of recorded games put together and taken apart: several in one, or two that share no deal."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

import jax
import numpy as np

from coplay.data import DataError
from coplay.data.people import said_alike
from coplay.rollouts.episode import Episodes

RECORDING = "recording"  # in `extra`: a number of each recording, where several of these games are cut from one


def join(parts: Sequence[Episodes]) -> Episodes:
    """All the games of several sets in one; what only some of them say about their games is left out."""
    games = list(dict.fromkeys(part.game for part in parts))
    if len(games) != 1:
        raise DataError(f"the sets hold different games ({', '.join(map(str, games))}); join like with like.")
    if len(parts) == 1:
        return parts[0]
    turns = max(part.actions.shape[1] for part in parts)
    told = said_alike([part.extra for part in parts], [len(part) for part in parts], games[0].players)
    extra, facts = _together(told), _together([part.facts for part in parts])
    before = np.cumsum([0, *(len(part) for part in parts)])
    forfeits = [
        dataclasses.replace(one, game=one.game + int(first))
        for part, first in zip(parts, before, strict=False)
        for one in part.forfeits
    ]
    return dataclasses.replace(
        parts[0],
        starts=jax.tree.map(lambda *leaves: np.concatenate(leaves), *(part.starts for part in parts)),
        actions=np.concatenate([_lengthened(part.actions, turns) for part in parts]),
        lengths=np.concatenate([part.lengths for part in parts]),
        scores=np.concatenate([part.scores for part in parts]),
        forfeits=tuple(forfeits),
        facts=facts,
        extra=extra,
    )


def _together(columns: Sequence[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    """What all of them say."""
    shared = set.intersection(*map(set, columns))
    return {name: np.concatenate([one[name] for one in columns]) for name in sorted(shared)}


def _lengthened(actions: np.ndarray, turns: int) -> np.ndarray:
    more = ((0, 0), (0, turns - actions.shape[1]), *((0, 0),) * (actions.ndim - 2))
    return np.pad(actions, more, constant_values=-1)


def split(episodes: Episodes, train: int, seed: int = 0) -> tuple[Episodes, Episodes]:
    """`train` games and the rest, chosen at random; games of the same deal stay together. Both keep the order."""
    if not 1 <= train < len(episodes):
        raise DataError(
            f"train={train}: choose from 1 to {len(episodes) - 1} of {len(episodes)} games, so that some are left."
        )
    deal = deals_of(episodes)
    learning = _whole_deals(deal, train, seed) if deal.any() else _single_games(deal, train, seed)
    fit = int(learning.sum())
    if fit < train:
        raise DataError(
            f"train={train}: games of the same deal stay together, and with seed={seed} only {fit} fit; "
            f"take train={fit} or another seed."
        )
    return episodes[learning], episodes[~learning]


def hold_out(episodes: Episodes, share: float, seed: int = 0) -> tuple[Episodes, Episodes]:
    """(learn, judge): about this share of the games held out, whole deals of them.

    A game with few different deals may have none that is small enough; then games are held out one by one.
    """
    train = max(round(len(episodes) * (1 - share)), 1)
    if train == len(episodes):
        raise DataError(
            f"held_out_share={share:g} of {len(episodes)} recorded is less than one game; "
            "record more games, take a larger share, or give held_out=FILE."
        )
    deal = deals_of(episodes)
    learning = _whole_deals(deal, train, seed)
    if 2 * learning.sum() < train:
        learning = _single_games(deal, train, seed)
    return episodes[learning], episodes[~learning]


def _whole_deals(deal: np.ndarray, train: int, seed: int) -> np.ndarray:
    """bool [games]: deals drawn at random that come to `train` games, or as near below it as they fit."""
    sizes = np.bincount(deal)
    chosen = np.zeros(len(sizes), bool)
    for group in np.random.default_rng(seed).permutation(len(sizes)):
        chosen[group] = sizes[group] <= train - sizes[chosen].sum()
    return chosen[deal]


def _single_games(deal: np.ndarray, train: int, seed: int) -> np.ndarray:
    """bool [games]: `train` games drawn at random, whatever their deals."""
    return np.random.default_rng(seed).permutation(len(deal)).argsort() < train


def deals_of(episodes: Episodes) -> np.ndarray:
    """int [games]: equal numbers begin alike. Decks where there are some: who starts does not matter then.

    Games cut from one recording belong together, however they begin.
    """
    if RECORDING in episodes.extra:
        rows = np.asarray(episodes.extra[RECORDING]).reshape(-1, 1)
    elif hasattr(episodes.game, "deck_of"):
        rows = episodes.decks.reshape(len(episodes), -1)
    else:
        leaves = [np.asarray(leaf).reshape(len(episodes), -1) for leaf in jax.tree.leaves(episodes.starts)]
        rows = np.concatenate([_whole_numbers(leaf) for leaf in leaves], axis=1)
    return np.unique(rows, axis=0, return_inverse=True)[1].reshape(-1)


def _whole_numbers(leaf: np.ndarray) -> np.ndarray:
    """Numbers that are equal where the leaf's are; fractions by their bits."""
    if np.issubdtype(leaf.dtype, np.floating):
        return np.ascontiguousarray(leaf, np.float64).view(np.int64)
    return leaf.astype(np.int64)


def folds(episodes: Episodes, count: int, seed: int = 0) -> list[tuple[Episodes, Episodes]]:
    """(learn, judge) `count` times: every game is judged once, by what learned from none of its deal."""
    if not 2 <= count <= len(episodes):
        raise DataError(f"{count} folds of {len(episodes)} games: take from 2 to {len(episodes)}.")
    deal = deals_of(episodes)
    if not deal.any():  # a game without chance: every episode begins alike
        deal = np.arange(len(episodes))
    place = np.random.default_rng(seed).permutation(int(deal.max()) + 1) % count
    if len(np.unique(place)) < count:
        raise DataError(f"{count} folds: there are only {int(deal.max()) + 1} different deals; take fewer folds.")
    return [(episodes[place[deal] != one], episodes[place[deal] == one]) for one in range(count)]
