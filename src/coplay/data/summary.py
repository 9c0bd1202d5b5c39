"""Scores and lengths of recorded games in the five numbers that the AH2AC2 paper prints (its Table 1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coplay.data import DataError
from coplay.rollouts.episode import Episodes


class Summary(NamedTuple):
    """Five numbers about one quantity."""

    min: float
    max: float
    mean: float
    median: float
    std: float  # of the population, as the paper has it


class Statistics(NamedTuple):
    """What a set of games looks like."""

    games: int
    players: int
    scores: Summary
    lengths: Summary  # moves

    def __str__(self) -> str:
        lines = [f"{'':<8}{'min':>6}{'max':>6}{'mean':>9}{'median':>8}{'std':>8}"]
        for name, row in (("score", self.scores), ("length", self.lengths)):
            lines.append(f"{name:<8}{row.min:>6g}{row.max:>6g}{row.mean:>9.3f}{row.median:>8g}{row.std:>8.4f}")
        return "\n".join(lines)


def statistics(episodes: Episodes) -> Statistics:
    """The paper's Table 1 for these games."""
    if not len(episodes):
        raise DataError("there are no games to describe; choose at least one.")
    scores, lengths = _summary(episodes.scores), _summary(episodes.lengths)
    return Statistics(len(episodes), episodes.game.players, scores, lengths)


def _summary(values: np.ndarray) -> Summary:
    exact = np.asarray(values, np.float64)
    numbers = (exact.min(), exact.max(), exact.mean(), np.median(exact), exact.std())
    return Summary(*(float(number) for number in numbers))
