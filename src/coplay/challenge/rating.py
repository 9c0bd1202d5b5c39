"""A rating that is fair between unequal numbers of games and may be read whenever somebody likes.

A round is one game with each partner; its mean counts every partner once, whoever was met most. The intervals hold for
all numbers of rounds at once: whoever stopped early, or looked again and again, gains nothing by that.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from coplay.measure.sequential import anytime_mean
from coplay.measure.stats import Estimate


def rating(games: Iterable[tuple[str, float]], best: float | None) -> Estimate | None:
    """From (partner, score) in the order of the deals, scores from 0 to `best`; None where that is not known, or where
    a partner was not met."""
    by_partner: dict[str, list[float]] = {}
    for partner, score in games:
        by_partner.setdefault(partner, []).append(score)
    count = min(map(len, by_partner.values()), default=0)
    if best is None or not count:
        return None
    rounds = np.mean([scores[:count] for scores in by_partner.values()], axis=0)
    return anytime_mean(rounds, 0.0, best) if 0 <= rounds.min() <= rounds.max() <= best else None
