"""Intervals that hold at every number of games."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coplay.measure import MeasureError
from coplay.measure.sequential import anytime_mean, confidence_sequence
from coplay.measure.stats import bootstrap


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda rng, shape: rng.random(shape) < 0.1, 0.1),
        (lambda rng, shape: rng.beta(2, 5, shape), 2 / 7),
        (lambda rng, shape: rng.integers(0, 2, shape) * 0.5, 0.25),
    ],
    ids=["rare", "beta", "halves"],
)
def test_whoever_looks_after_every_value_is_wrong_in_one_of_twenty_runs_at_most(draw, mean: float) -> None:
    runs, length = 400, 500
    values = np.asarray(draw(np.random.default_rng(0), (runs, length)), float)
    wrong = 0
    for row in values:
        lows, highs = confidence_sequence(row, 0, 1)
        wrong += bool(((lows > mean) | (highs < mean)).any())
    assert wrong <= 0.05 * runs


def test_an_interval_for_a_fixed_number_would_be_wrong_more_often() -> None:
    """So the test above can fail: the usual interval, looked at after every value, misses in most runs."""
    values = (np.random.default_rng(0).random((400, 500)) < 0.5).astype(float)
    steps = np.arange(1, 501)
    means = np.cumsum(values, 1) / steps
    missed = np.abs(means - 0.5) > 1.96 * 0.5 / np.sqrt(steps)
    assert missed[:, 20:].any(1).mean() > 0.3


def test_it_shrinks_and_never_grows() -> None:
    values = np.random.default_rng(1).beta(4, 2, 2000) * 25
    lows, highs = confidence_sequence(values, 0, 25)
    assert (np.diff(lows) >= 0).all()
    assert (np.diff(highs) <= 0).all()
    now, fixed = anytime_mean(values, 0, 25), bootstrap(values, np.mean)
    assert now.low < fixed.low < fixed.high < now.high
    assert now.high - now.low < 3 * (fixed.high - fixed.low)  # the price of looking at any time
    assert now.value == fixed.value


def test_it_is_the_same_on_another_scale() -> None:
    values = np.random.default_rng(2).random(50)
    one, other = anytime_mean(values, 0, 1), anytime_mean(values * 20 - 5, -5, 15)
    assert other[:3] == pytest.approx([end * 20 - 5 for end in one[:3]])


def test_it_is_the_theorem_value_by_value() -> None:
    """Equations of theorem 2, with a loop."""
    values, log = np.random.default_rng(3).random(40), math.log(2 / 0.05)
    mean, spread, bets, won, paid, low, high = 0.5, 0.25, 0.0, 0.0, 0.0, 0.0, 1.0
    lows, highs = confidence_sequence(values, 0, 1)
    for t, value in enumerate(values, 1):
        bet = min(math.sqrt(2 * log / (spread * t * math.log(1 + t))), 0.5)
        bets, won = bets + bet, won + bet * value
        paid += 4 * (value - mean) ** 2 * (-math.log(1 - bet) - bet) / 4
        low, high = max(low, (won - log - paid) / bets), min(high, (won + log + paid) / bets)
        assert (lows[t - 1], highs[t - 1]) == pytest.approx((low, high))
        seen = values[:t]
        mean = (0.5 + seen.sum()) / (t + 1)
        behind = [(0.5 + values[: i + 1].sum()) / (i + 2) for i in range(t)]
        spread = (0.25 + sum((seen - behind) ** 2)) / (t + 1)


@pytest.mark.parametrize(("values", "low", "high"), [([3.0], 0, 2), ([-1.0], 0, 2), ([1.0], 2, 2), ([], 0, 1)])
def test_values_beyond_the_bounds_are_refused(values: list[float], low: float, high: float) -> None:
    with pytest.raises(MeasureError):
        confidence_sequence(values, low, high)
