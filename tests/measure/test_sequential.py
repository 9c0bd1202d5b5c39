"""Intervals that hold at every number of games."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coplay.measure import MeasureError
from coplay.measure.sequential import anytime_mean
from coplay.measure.stats import bootstrap

LOOKS = (10, 30, 100, 300)


@pytest.mark.parametrize(
    ("draw", "mean"),
    [
        (lambda rng, shape: rng.random(shape) < 0.1, 0.1),
        (lambda rng, shape: rng.beta(2, 5, shape), 2 / 7),
        (lambda rng, shape: rng.integers(0, 2, shape) * 0.5, 0.25),
    ],
    ids=["rare", "beta", "halves"],
)
def test_whoever_looks_again_and_again_is_wrong_in_one_of_twenty_runs_at_most(draw, mean: float) -> None:
    runs = 200
    values = np.asarray(draw(np.random.default_rng(0), (runs, LOOKS[-1])), float)
    looks = [[anytime_mean(row[:seen], 0, 1) for seen in LOOKS] for row in values]
    wrong = sum(any(not one.low <= mean <= one.high for one in row) for row in looks)
    assert wrong <= 0.05 * runs


def test_an_interval_for_a_fixed_number_would_be_wrong_more_often() -> None:
    """So the test above can fail: the usual interval, looked at four times, misses in more than one of twenty runs."""
    values = (np.random.default_rng(0).random((200, LOOKS[-1])) < 0.5).astype(float)
    means = np.array([values[:, :seen].mean(1) for seen in LOOKS])
    missed = np.abs(means - 0.5) > 1.96 * 0.5 / np.sqrt(LOOKS)[:, None]
    assert missed.any(0).mean() > 0.1


def test_it_shrinks_and_is_wider_than_one_for_a_fixed_number() -> None:
    values = np.random.default_rng(1).beta(4, 2, 2000) * 25
    widths = [one.high - one.low for one in (anytime_mean(values[:seen], 0, 25) for seen in (20, 200, 2000))]
    assert widths == sorted(widths, reverse=True)
    now, fixed = anytime_mean(values, 0, 25), bootstrap(values, np.mean)
    assert now.low < fixed.low < fixed.high < now.high
    assert now.high - now.low < 2 * (fixed.high - fixed.low)  # the price of looking at any time
    assert now.value == fixed.value


def test_it_is_the_same_on_another_scale() -> None:
    values = np.random.default_rng(2).random(50)
    one, other = anytime_mean(values, 0, 1), anytime_mean(values * 20 - 5, -5, 15)
    assert other[:3] == pytest.approx([end * 20 - 5 for end in one[:3]])


def test_bounds_may_differ_from_value_to_value() -> None:
    """Tighter ones later on make it shorter; the same ones, written out, change nothing."""
    values = 0.4 + 0.2 * np.random.default_rng(5).random(80)
    wide = anytime_mean(values, 0, 1)
    assert anytime_mean(values, np.zeros(80), np.ones(80)) == wide
    later = np.arange(80) >= 8
    tight = anytime_mean(values, np.where(later, 0.3, 0), np.where(later, 0.7, 1))
    assert wide.low < tight.low < 0.5 < tight.high < wide.high


def test_it_is_the_theorem_value_by_value() -> None:
    """Theorem 3 of the paper, with a loop, at every mean of a grid."""
    values, log = np.random.default_rng(3).random(40), math.log(2 / 0.05)
    found = anytime_mean(values, 0, 1)
    for mean in np.linspace(0.01, 0.99, 99):
        more = less = most = 0.5
        spread = 0.25
        for t, value in enumerate(values, 1):
            stake = math.sqrt(2 * log / (spread * (t + 5) * math.log(1 + t + 5)))
            more *= 1 + min(stake, 0.75 / mean) * (value - mean)
            less *= 1 - min(stake, 0.75 / (1 - mean)) * (value - mean)
            most = max(most, more, less)
            seen = values[:t]
            behind = [(0.5 + values[: i + 1].sum()) / (i + 2) for i in range(t)]
            spread = (0.25 + sum((seen - behind) ** 2)) / (t + 1)
        assert (most < 1 / 0.05) == (found.low < mean < found.high)


@pytest.mark.parametrize(("values", "low", "high"), [([3.0], 0, 2), ([-1.0], 0, 2), ([1.0], 2, 2), ([], 0, 1)])
def test_values_beyond_the_bounds_are_refused(values: list[float], low: float, high: float) -> None:
    with pytest.raises(MeasureError):
        anytime_mean(values, low, high)
