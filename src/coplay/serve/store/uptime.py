"""Which server processes live, and how far the clock is that their games are charged by.

Each process writes both down every second. Nothing here asks the clock on the wall.
"""

from __future__ import annotations

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from coplay.serve.store.models import GameTime, Uptime

DEAD = 20.0  # seconds without a sign of life after which a process has died


def reading(session: Session) -> float:
    """How far the clock is."""
    return session.scalars(select(GameTime.seconds)).one()


def living(session: Session, now: float) -> list[str]:
    """The processes that have lately written down that they live."""
    return list(session.scalars(select(Uptime.id).where(Uptime.alive > now - DEAD)))


def counted(session: Session, now: float) -> dict[str, str]:
    """What the processes that live have counted, as they wrote it down; by their ids."""
    rows = session.execute(select(Uptime.id, Uptime.counted).where(Uptime.alive > now - DEAD).order_by(Uptime.id))
    return {id: text for id, text in rows if text is not None}


def beat(session: Session, process: str, now: float, counted: str | None = None) -> float:
    """Writes down that this process lives, and what it has counted; returns the furthest reading of all."""
    session.execute(update(GameTime).where(GameTime.seconds < now).values(seconds=now))
    furthest = reading(session)
    session.merge(Uptime(id=process, alive=furthest, counted=counted))
    return furthest
