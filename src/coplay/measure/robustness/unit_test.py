"""A unit test of collaboration: a situation in which everybody knows what a good partner would do."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from coplay.measure.robustness.excerpt import Starts
from coplay.rollouts.team import Player

# state: an unusual position. agent: an unusual partner, as the position shows. memory: a partner who turns out to be
# unusual only in the course of the test. These three are the paper's. place: the tested agent is where nobody would
# be; a row of the paper's table for which its code has no starts, so scores beside the paper's leave it out.
Category = Literal["state", "agent", "memory", "place"]
PAPER: tuple[Category, ...] = ("state", "agent", "memory")
CATEGORIES: tuple[Category, ...] = (*PAPER, "place")


@dataclasses.dataclass(frozen=True)
class UnitTest:
    """One test in one game."""

    name: str
    category: Category
    says: str  # what the situation is and what a good partner does
    partner: str
    make_partner: Callable[[], Player]
    seat: int  # of the tested agent; the partner takes all others
    num_starts: int
    # prepare(rollouts, seed): starts, start by start, each `rollouts` times with what is left to chance drawn anew
    prepare: Callable[[int, int], Starts]
    # passed(starts, before, after): bool [rows], from the states when the agent took over and at the end
    passed: Callable[[Starts, Any, Any], np.ndarray]
