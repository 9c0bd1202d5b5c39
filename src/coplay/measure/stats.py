"""Estimates with honest intervals: inter-quartile means, a bootstrap that knows which games belong together, a planner.

Intervals are percentile intervals of the bootstrap. They ask nothing of the statistic, so that one method serves
means, medians, inter-quartile means and differences, clustered once or twice. BCa corrects skew better, but its
acceleration comes from a jackknife, which is wrong for medians, undefined when all resamples agree (a bot that always
scores 25) and unknown for two-way clusters. The price: with fewer than about ten clusters the intervals are too short.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from coplay.measure import MeasureError
from coplay.measure.study.validate import between, numbers, whole

RESAMPLES = 4000
Statistic = Callable[..., Any]  # rows [n, ...] -> number; vectorised where it takes `axis`


class Estimate(NamedTuple):
    """A number, the interval around it, and how many values it was made from.

    The bounds are NaN where nothing is known about the spread: one value, or one cluster.
    """

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}], n {self.n:,}"

    @property
    def is_sure(self) -> bool:
        """Is anything known about the spread?"""
        return not (math.isnan(self.low) or math.isnan(self.high))

    @property
    def most(self) -> float:
        """The upper end of the interval, or the value where there is none."""
        return self.high if self.is_sure else self.value

    def short(self, form: str = ".2f") -> str:
        """The value with its interval, if there is one."""
        bounds = f" [{self.low:{form}}, {self.high:{form}}]" if self.is_sure else ""
        return f"{self.value:{form}}{bounds}"


def iqm(x: Any, axis: int | None = None) -> Any:
    """The inter-quartile mean: the mean after a quarter of the values (rounded down) is cut off each end."""
    values = np.sort(numbers("x", x), axis=axis)
    axis = -1 if axis is None else axis
    count = values.shape[axis] if values.ndim else 1
    middle = np.take(np.atleast_1d(values), range(count // 4, count - count // 4), axis).mean(axis)
    return float(middle) if np.ndim(middle) == 0 else middle


def bootstrap(
    x: Any,
    statistic: Statistic,
    clusters: Any = None,
    seed: int = 0,
    *,
    resamples: int = RESAMPLES,
    confidence: float = 0.95,
) -> Estimate:
    """The statistic of x with its percentile bootstrap interval.

    x: [n] values, or [n, ...] rows that stay together; `statistic` gets such an array and returns a number.
    clusters: [n] labels of what is drawn as one (a deal, a partner), or a tuple of such arrays, `(deal, partner)`:
    then deals and partners are drawn independently and a game counts as often as its deal times its partner was drawn.
    """
    rows = numbers("x", x)
    if rows.ndim == 0:
        raise MeasureError(f"x must be a list of values; got the single number {rows}. Write [{rows}].")
    whole("resamples", resamples, 1)
    between("confidence", confidence, 0, 1)
    ways = [_codes(labels, len(rows)) for labels in _label_lists(clusters, len(rows))]
    value = _number(statistic(rows))
    if all(way.max(initial=0) == 0 for way in ways):
        return Estimate(value, math.nan, math.nan, len(rows))
    rng = np.random.default_rng(whole("seed", seed, 0))
    draws = _draws_one_way(ways[0], rng, resamples) if len(ways) == 1 else _draws_many_ways(ways, rng, resamples)
    values = np.concatenate([_apply(statistic, rows, indices) for indices in draws])
    low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Estimate(value, float(low), float(high), len(rows))


def difference(
    a: Any, b: Any, statistic: Statistic = np.mean, clusters: Any = None, seed: int = 0, **settings: Any
) -> Estimate:
    """statistic(a) - statistic(b) for paired values: a[i] and b[i] come from the same deal and are drawn together.

    For the mean this is the mean difference. For the median difference, ask `bootstrap(a - b, np.median)`.
    """
    first, second = numbers("a", a, 1), numbers("b", b, 1)
    if len(first) != len(second):
        raise MeasureError(
            f"a has {len(first)} values and b has {len(second)}, but pairs share a deal. Play both on the same deals."
        )

    def apart(rows: np.ndarray) -> float:
        return _number(statistic(rows[:, 0])) - _number(statistic(rows[:, 1]))

    def apart_at_once(rows: np.ndarray, axis: int = 0) -> np.ndarray:
        return statistic(rows[..., 0], axis=axis) - statistic(rows[..., 1], axis=axis)

    pairs = np.stack([first, second], 1)
    return bootstrap(pairs, apart_at_once if _takes_axis(statistic) else apart, clusters, seed, **settings)


def median(x: Any, clusters: Any = None, seed: int = 0, *, confidence: float = 0.95) -> Estimate:
    """The median. Independent values get the exact interval between two of them (from the sign test, no resampling);
    clustered values get the bootstrap's."""
    values = np.sort(numbers("x", x, 1))
    if clusters is not None:
        return bootstrap(x, np.median, clusters, seed, confidence=confidence)
    between("confidence", confidence, 0, 1)
    count = len(values)
    # The largest k such that fewer than k of n fair coins show heads with probability (1 - confidence) / 2 at most.
    below = special.bdtr(np.arange(count), count, 0.5)
    outside = int(np.searchsorted(below, (1 - confidence) / 2, side="right"))
    known = outside > 0
    low, high = (values[outside - 1], values[count - outside]) if known else (math.nan, math.nan)
    return Estimate(float(np.median(values)), float(low), float(high), count)


def games_needed(
    sd: float, half_width: float, confidence: float = 0.95, per_cluster: int = 1, correlation: float = 0.0
) -> int:
    """How many games until the interval of a mean is ± half_width, if single games scatter with this sd.

    With `per_cluster` games on one deal (or with one partner) whose scores correlate by `correlation`, each game
    tells less: the count grows by 1 + (per_cluster - 1) * correlation and is rounded up to whole clusters.
    """
    for what, size in (("sd", sd), ("half_width", half_width)):
        if not (isinstance(size, int | float | np.number) and math.isfinite(size) and size > 0):
            raise MeasureError(f"{what} must be a positive number; got {size!r}.")
    between("confidence", confidence, 0, 1)
    whole("per_cluster", per_cluster, 1)
    if not 0 <= correlation <= 1:
        raise MeasureError(f"correlation must lie between 0 and 1; got {correlation!r}.")
    width = float(special.ndtri((1 + confidence) / 2)) * sd / half_width
    games = width**2 * (1 + (per_cluster - 1) * correlation)
    return max(2, per_cluster, per_cluster * math.ceil(games / per_cluster - 1e-9))


def difference_sd(sd: float, correlation: float = 0.0) -> float:
    """The sd of the difference of two agents' scores on one deal, when such scores correlate by `correlation`."""
    if not -1 <= correlation <= 1:
        raise MeasureError(f"correlation must lie between -1 and 1; got {correlation!r}.")
    return sd * math.sqrt(2 * (1 - correlation))


def _label_lists(clusters: Any, count: int) -> list[Any]:
    """One list of labels per way of clustering; without clusters every row is its own."""
    if clusters is None:
        return [np.arange(count)]
    if np.isscalar(clusters):
        raise MeasureError(f"clusters must be a list with one label per value; got {clusters!r}.")
    many = any(isinstance(labels, list | tuple | np.ndarray) and np.ndim(labels) for labels in clusters)
    return list(clusters) if many else [clusters]


def _codes(labels: Any, count: int) -> np.ndarray:
    """int [n]: labels numbered by first appearance, so that their names do not change the draws."""
    labels = np.asarray(list(labels))
    if labels.shape != (count,):
        raise MeasureError(
            f"clusters must label each of the {count} values once; got shape {labels.shape}. "
            "For two ways of clustering write clusters=(deal, partner)."
        )
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise MeasureError("clusters holds NaN; every value needs the label of its deal or partner.")
    _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


def _draws_one_way(codes: np.ndarray, rng: np.random.Generator, resamples: int) -> Iterator[Any]:
    """Row indices of resamples: matrices [some, m] where clusters have one size, else arrays of many lengths."""
    sizes = np.bincount(codes)
    groups = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
    if (sizes == sizes[0]).all():
        members = np.stack(groups)  # [clusters, size]
        chunk = max(1, 2_000_000 // len(codes))
        for start in range(0, resamples, chunk):
            drawn = rng.integers(len(sizes), size=(min(chunk, resamples - start), len(sizes)))
            yield members[drawn].reshape(len(drawn), -1)
    else:
        for _ in range(resamples):
            yield [np.concatenate([groups[i] for i in rng.integers(len(sizes), size=len(sizes))])]


def _draws_many_ways(ways: list[np.ndarray], rng: np.random.Generator, resamples: int) -> Iterator[Any]:
    """Pigeonhole bootstrap: a row is repeated by the product of how often each of its clusters was drawn."""
    rows, made = np.arange(len(ways[0])), 0
    while made < resamples:
        times = np.ones(len(rows), np.int64)
        for codes in ways:
            count = int(codes.max()) + 1
            times *= np.bincount(rng.integers(count, size=count), minlength=count)[codes]
        if times.any():  # where not every deal met every partner, a draw may be empty: draw again
            made += 1
            yield [np.repeat(rows, times)]


def _apply(statistic: Statistic, rows: np.ndarray, indices: Any) -> np.ndarray:
    """float [some]: the statistic of each resample."""
    if isinstance(indices, np.ndarray) and _takes_axis(statistic):
        values = np.asarray(statistic(rows[indices], axis=1), np.float64)
    else:
        values = np.array([_number(statistic(rows[chosen])) for chosen in indices])
    if not np.isfinite(values).all():
        raise MeasureError("the statistic is not finite on a resample; choose one that is defined for repeated values.")
    return values


def _takes_axis(statistic: Statistic) -> bool:
    try:
        return "axis" in inspect.signature(statistic).parameters
    except (TypeError, ValueError):
        return False


def _number(value: Any) -> float:
    if np.ndim(value) != 0 or not np.isfinite(value):
        raise MeasureError(f"the statistic must return one finite number; it returned {value!r}.")
    return float(value)
