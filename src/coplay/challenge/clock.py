"""Thinking time: so much for each move, and a bank for the moves that take longer. Only the server's clock counts.

A table's bank and the moment it was asked are in the database. While no server was alive nobody's clock ran: processes
write down that they live, and only time that is covered by such a record is charged.
"""

from __future__ import annotations

import time
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.rules import Clock
from coplay.challenge.store.models import Uptime

BEAT, DEAD = 1.0, 20.0  # seconds between two signs of life; seconds without one after which a process has died


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


def alive_between(session: Session, begin: float, end: float) -> float:
    """Seconds in which some server process was alive."""
    rows = session.execute(select(Uptime.started, Uptime.alive).where(Uptime.alive >= begin, Uptime.started <= end))
    return covered([(started, alive) for started, alive in rows], begin, end)


def living(session: Session) -> list[str]:
    """The processes that have lately written down that they live."""
    return list(session.scalars(select(Uptime.id).where(Uptime.alive > time.time() - DEAD)))


def beat(session: Session, uptime: str, started: float) -> None:
    """Writes down that this process lives."""
    session.merge(Uptime(id=uptime, started=started, alive=time.time()))
