"""Intervals that may be looked at after every game: the mean lies in all of them at once, with the stated confidence.

An interval made for a fixed number of games is too narrow for whoever looks again and again and stops when it pleases.
This is the hedged capital confidence sequence of Waudby-Smith and Ramdas, "Estimating means of bounded random variables
by betting" (2021), theorem 3. Somebody bets against every mean that the values might have; a mean against which the
capital has grown twentyfold is given up, for with the true one that happens in one of twenty runs at most, ever. It
asks for nothing but bounds of the values and that each has the same mean given those before it. The bounds of a value
may differ from those of others, as long as they are known before it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from coplay.measure import MeasureError
from coplay.measure.stats import Estimate
from coplay.measure.study.validate import between, numbers

MOST = 0.75  # of the capital may be lost at one value
CAUTION = 5  # values more than there were: who knows little bets little; any bets are right, these end sooner
HALVINGS = 40  # of the range, to find an end of the interval


def anytime_mean(x: Any, low: Any, high: Any, *, confidence: float = 0.95) -> Estimate:
    """The mean of values in [low, high] with an interval that holds however often somebody looked before.

    The bounds are numbers, or [n] of every value; the true mean lies within all of them.
    """
    values = numbers("x", x, 1)
    lows, highs = (np.broadcast_to(numbers("a bound", bound), values.shape) for bound in (low, high))
    between("confidence", confidence, 0, 1)
    if not (lows < highs).all() or (values < lows).any() or (values > highs).any():
        raise MeasureError(
            f"the values lie between {values.min():g} and {values.max():g}, not in [{lows.min():g}, {highs.max():g}]."
        )
    stakes = _stakes(values, lows, highs, confidence)
    ends = float(lows.max()), float(highs.min())
    enough = math.log(2 / (1 - confidence))
    # Bets on "more" win the less the higher the mean is; bets on "less" the more.
    first = _edge(lambda mean: won_above(values, stakes, lows, mean) >= enough, *ends)
    last = _edge(lambda mean: won_below(values, stakes, highs, mean) < enough, *ends)
    return Estimate(float(values.mean()), min(first, last), max(first, last), len(values))


def won_above(values: np.ndarray, stakes: np.ndarray, lows: np.ndarray, mean: float) -> float:
    """The log of the most that one unit has been at any time which bets on more than this mean."""
    with np.errstate(divide="ignore"):
        bets = np.minimum(stakes, MOST / (mean - lows))
    return float(np.log1p(bets * (values - mean)).cumsum().max())


def won_below(values: np.ndarray, stakes: np.ndarray, highs: np.ndarray, mean: float) -> float:
    """The same for bets on less."""
    return won_above(-values, stakes, -highs, -mean)


def _stakes(values: np.ndarray, lows: np.ndarray, highs: np.ndarray, confidence: float) -> np.ndarray:
    """How much to bet at each value, told by those before it alone: the less, the more they scatter."""
    steps = np.arange(1, len(values) + 1)
    width = float(highs[0] - lows[0])
    means = ((lows[0] + highs[0]) / 2 + np.cumsum(values)) / (steps + 1)
    spreads = (width**2 / 4 + np.cumsum((values - means) ** 2)) / (steps + 1)
    before = np.append(width**2 / 4, spreads[:-1])
    later = steps + CAUTION
    return np.sqrt(2 * math.log(2 / (1 - confidence)) / (before * later * np.log1p(later)))


def _edge(holds: Callable[[float], bool], low: float, high: float) -> float:
    """Up to where something holds that holds at first and then no longer; the lower bound if it never does."""
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
