"""Two sets of games that share no deal: one to learn from, one to be judged by."""

from __future__ import annotations

import numpy as np

from coplay.data import DataError
from coplay.data.games import Games


def split(games: Games, train: int, seed: int = 0) -> tuple[Games, Games]:
    """`train` games and the rest, chosen at random; games with the same deck stay together. Both keep the order."""
    if not 1 <= train < len(games):
        raise DataError(
            f"train={train}: choose from 1 to {len(games) - 1} of {len(games)} games, so that some are left."
        )
    _, deal = np.unique(games.decks.reshape(len(games), -1), axis=0, return_inverse=True)
    deal = deal.reshape(-1)
    sizes = np.bincount(deal)
    chosen = np.zeros(len(sizes), bool)
    left = train
    for group in np.random.default_rng(seed).permutation(len(sizes)):
        if sizes[group] <= left:
            chosen[group] = True
            left -= sizes[group]
    if left:
        raise DataError(
            f"train={train}: games of the same deck stay together, and with seed={seed} only {train - left} fit; "
            f"take train={train - left} or another seed."
        )
    learning = chosen[deal]
    return games[learning], games[~learning]
