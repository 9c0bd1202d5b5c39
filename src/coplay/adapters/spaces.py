"""Spaces of Gymnasium, which PettingZoo uses too."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces


def box(shape: tuple[int, ...], dtype: Any) -> spaces.Box:
    """All arrays of that shape and type."""
    if np.issubdtype(dtype, np.integer):
        limits = np.iinfo(dtype)
        return spaces.Box(limits.min, limits.max, shape, dtype)
    return spaces.Box(-np.inf, np.inf, shape, dtype)
