"""Scores and lengths of recorded games in the five numbers that the AH2AC2 paper prints (its Table 1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coplay.data import DataError
from coplay.data.games import Games


class Summary(NamedTuple):
    """Five numbers about one quantity."""

    min: int
    max: int
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
            lines.append(f"{name:<8}{row.min:>6}{row.max:>6}{row.mean:>9.3f}{row.median:>8g}{row.std:>8.4f}")
        return "\n".join(lines)


def statistics(games: Games) -> Statistics:
    """The paper's Table 1 for these games."""
    if not len(games):
        raise DataError("there are no games to describe; choose at least one.")
    return Statistics(len(games), games.players, _summary(games.scores), _summary(games.lengths))


def _summary(values: np.ndarray) -> Summary:
    return Summary(
        int(values.min()), int(values.max()), float(values.mean()), float(np.median(values)), float(values.std())
    )
