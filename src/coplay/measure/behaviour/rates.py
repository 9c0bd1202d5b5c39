"""A rate with its interval: how often something happened, of how often it could have."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coplay.measure.stats import Estimate, bootstrap


def rate(times: Any, occasions: Any) -> Estimate:
    """Both [games], counted per game; games are drawn anew. n counts the occasions; NaN where there were none."""
    rows = np.stack([np.asarray(times, np.float64), np.asarray(occasions, np.float64)], 1)
    happened, possible = rows.sum(0)
    if not possible:
        return Estimate(math.nan, math.nan, math.nan, 0)

    def ratio(rows: np.ndarray, axis: int = 0) -> Any:
        sums = rows.sum(axis)
        # A resample of games without any occasion tells nothing: it counts as the whole does.
        return np.where(sums[..., 1] > 0, sums[..., 0] / np.maximum(sums[..., 1], 1e-9), happened / possible)

    return bootstrap(rows, ratio, resamples=1000)._replace(n=int(possible))
