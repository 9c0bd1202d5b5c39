"""Estimates as JSON holds them: it has no NaN, so null stands where nothing is known."""

from __future__ import annotations

import math
from typing import Any

from coplay.measure.stats import Estimate


def plain(estimate: Estimate) -> dict[str, Any]:
    low, high = plain_number(estimate.low), plain_number(estimate.high)
    return {"value": plain_number(estimate.value), "low": low, "high": high, "n": estimate.n}


def plain_number(number: float) -> float | None:
    return None if math.isnan(number) else number
