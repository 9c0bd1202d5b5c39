"""Intervals that may be looked at after every game: the mean lies in all of them at once, with the stated confidence.

An interval made for a fixed number of games is too narrow for whoever looks again and again and stops when it pleases.
This is the predictable plug-in empirical Bernstein confidence sequence of Waudby-Smith and Ramdas, "Estimating means of
bounded random variables by betting" (2021), theorem 2. It asks for nothing but bounds of the values and that each has
the same mean given those before it.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coplay.measure import MeasureError
from coplay.measure.stats import Estimate
from coplay.measure.study.validate import between, numbers

MOST = 0.5  # of a bet: how much one value may move the interval


def confidence_sequence(x: Any, low: float, high: float, *, confidence: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
    """The ends of the interval after each value of x [n], all of which lie in [low, high]; it never grows."""
    values = numbers("x", x, 1)
    between("confidence", confidence, 0, 1)
    if not low < high or values.min(initial=high) < low or values.max(initial=low) > high:
        raise MeasureError(f"the values lie between {values.min():g} and {values.max():g}, not in [{low:g}, {high:g}].")
    scaled, steps = (values - low) / (high - low), np.arange(1, len(values) + 1)
    means = (0.5 + np.cumsum(scaled)) / (steps + 1)
    spreads = (0.25 + np.cumsum((scaled - means) ** 2)) / (steps + 1)
    mean_before, spread_before = np.append(0.5, means[:-1]), np.append(0.25, spreads[:-1])
    log = math.log(2 / (1 - confidence))
    bets = np.minimum(np.sqrt(2 * log / (spread_before * steps * np.log1p(steps))), MOST)
    paid = 4 * (scaled - mean_before) ** 2 * (-np.log1p(-bets) - bets) / 4
    total = np.cumsum(bets)
    middle, half = np.cumsum(bets * scaled) / total, (log + np.cumsum(paid)) / total
    lows = np.maximum.accumulate(np.clip(middle - half, 0, 1))
    highs = np.minimum.accumulate(np.clip(middle + half, 0, 1))
    return low + (high - low) * lows, low + (high - low) * highs


def anytime_mean(x: Any, low: float, high: float, *, confidence: float = 0.95) -> Estimate:
    """The mean of values in [low, high] with an interval that holds however often somebody looked before."""
    lows, highs = confidence_sequence(x, low, high, confidence=confidence)
    return Estimate(float(np.mean(x)), float(lows[-1]), float(highs[-1]), len(lows))
