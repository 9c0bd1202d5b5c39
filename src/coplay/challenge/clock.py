"""Thinking time: so much for each move, and a bank for the moves that take longer. Only the server's clock counts."""

from __future__ import annotations

from coplay.challenge.rules import Clock


def left_after(clock: Clock, bank: float, elapsed: float) -> float:
    """The bank after a move that took `elapsed` seconds; below 0 the time is over."""
    return bank - max(0.0, elapsed - clock.move)
