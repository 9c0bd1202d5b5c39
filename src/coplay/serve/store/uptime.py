"""When server processes were alive: each writes it down every second."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.clock import covered
from coplay.serve.store.models import Uptime

BEAT, DEAD = 1.0, 20.0  # seconds between two signs of life; seconds without one after which a process has died


def alive_between(session: Session, begin: float, end: float) -> float:
    """Seconds in which some server process was alive."""
    rows = session.execute(select(Uptime.started, Uptime.alive).where(Uptime.alive >= begin, Uptime.started <= end))
    return covered([(started, alive) for started, alive in rows], begin, end)


def living(session: Session, now: float) -> list[str]:
    """The processes that have lately written down that they live."""
    return list(session.scalars(select(Uptime.id).where(Uptime.alive > now - DEAD)))


def beat(session: Session, uptime: str, started: float, now: float) -> None:
    """Writes down that this process lives."""
    session.merge(Uptime(id=uptime, started=started, alive=now))
