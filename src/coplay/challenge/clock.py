"""Thinking time: so much for each move, and a bank for the moves that take longer. Only the server's clock counts.

While no server was alive nobody's clock ran: processes write down that they live (`serve/store/uptime.py`), and only
time that is covered by such a record is charged.
"""

from __future__ import annotations

from collections.abc import Iterable

from coplay.challenge.rules import Clock


def left_after(clock: Clock, bank: float, elapsed: float) -> float:
    """The bank after a move that took `elapsed` seconds; below 0 the time is over."""
    return bank - max(0.0, elapsed - clock.move)


def covered(periods: Iterable[tuple[float, float]], begin: float, end: float) -> float:
    """Seconds between `begin` and `end` that lie in any of the periods."""
    total, reached = 0.0, begin
    for start, stop in sorted(periods):
        start, stop = max(start, reached), min(stop, end)
        if stop > start:
            total += stop - start
            reached = stop
    return total
