"""What the measures accept: finite numbers, whole counts, seats that exist. Everything else is told to the caller."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from coplay.measure import MeasureError


def numbers(what: str, values: Any, dimensions: int | None = None) -> np.ndarray:
    """`values` as a float64 array without holes: not empty, not ragged, no NaN, nothing infinite."""
    if not isinstance(values, str | bytes | np.ndarray) and isinstance(values, Iterable):
        values = list(values)
    try:
        array = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise MeasureError(
            f"{what} must be numbers in a regular array; got {str(values)[:80]!r}. Give every row the same length."
        ) from None
    if dimensions is not None and array.ndim != dimensions:
        shape = "one number" if array.ndim == 0 else f"an array of shape {array.shape}"
        raise MeasureError(f"{what} must have {dimensions} dimension{'s'[: dimensions != 1]}; got {shape}. Reshape it.")
    if array.size == 0:
        raise MeasureError(f"{what} is empty; at least one value is needed. Play some games first.")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        place = ", ".join(map(str, where)) or "0"
        raise MeasureError(
            f"{what} holds {array[where]} at position {place}; every value must be a finite number. "
            "Leave unfinished or missing games out before measuring."
        )
    return array


def whole(what: str, value: Any, least: int) -> int:
    """`value` as an int that is at least `least`; True and 2.0 are refused, numpy integers are not."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool | np.bool_) or number < least:
        raise MeasureError(f"{what} must be a whole number of at least {least}; got {value!r}.")
    return number


def between(what: str, value: Any, low: float, high: float) -> float:
    """`value` as a float strictly between the two bounds."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not low < number < high:
        raise MeasureError(f"{what} must lie between {low:g} and {high:g}, both excluded; got {value!r}.")
    return number
