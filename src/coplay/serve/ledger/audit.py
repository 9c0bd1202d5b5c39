"""Adds to the audit."""

from __future__ import annotations

import json
import time
from typing import Any

from sqlalchemy import select, text
from sqlalchemy.orm import Session

from coplay.challenge.audit import FIRST, Line, line_hash
from coplay.serve.store.models import Audit


def note(transaction: Session, actor: str, what: str, **detail: Any) -> None:
    """Adds a line. In SQLite writers wait for each other; in PostgreSQL this lock makes them."""
    if transaction.get_bind().dialect.name == "postgresql":
        transaction.execute(text("SELECT pg_advisory_xact_lock(727075)"))
    last = transaction.scalar(select(Audit).order_by(Audit.number.desc()).limit(1))
    line = Line(
        number=0 if last is None else last.number + 1,
        at=round(time.time(), 3),
        actor=actor,
        what=what,
        detail=json.dumps(detail, sort_keys=True),
        previous=FIRST if last is None else last.hash,
        hash="",
    )
    transaction.add(Audit(**line._replace(hash=line_hash(line))._asdict()))
    transaction.flush()


def lines(transaction: Session) -> list[Line]:
    """The whole audit, in order."""
    rows = transaction.scalars(select(Audit).order_by(Audit.number))
    return [Line(*(getattr(row, name) for name in Line._fields)) for row in rows]
