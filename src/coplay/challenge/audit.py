"""Who did what, when and why, in a chain: each line holds the hash of the one before, so a change shows."""

from __future__ import annotations

import hashlib
import json
import time
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.store.models import Audit

FIRST = "0" * 64


def note(transaction: Session, actor: str, what: str, **detail: Any) -> None:
    """Adds a line. In SQLite writers wait for each other; in PostgreSQL this lock makes them."""
    if transaction.get_bind().dialect.name == "postgresql":
        from sqlalchemy import text

        transaction.execute(text("SELECT pg_advisory_xact_lock(727075)"))
    last = transaction.scalar(select(Audit).order_by(Audit.number.desc()).limit(1))
    line = Audit(
        number=0 if last is None else last.number + 1,
        at=round(time.time(), 3),
        actor=actor,
        what=what,
        detail=json.dumps(detail, sort_keys=True),
        previous=FIRST if last is None else last.hash,
        hash="",
    )
    line.hash = line_hash(line)
    transaction.add(line)
    transaction.flush()


def line_hash(line: Audit) -> str:
    parts = [line.previous, line.number, repr(line.at), line.actor, line.what, line.detail]
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


def broken_link(lines: list[Audit]) -> str | None:
    """What is wrong with the chain, if anything."""
    previous = FIRST
    for number, line in enumerate(lines):
        if line.number != number:
            return f"line {number} of the audit is missing"
        if line.previous != previous or line.hash != line_hash(line):
            return f"line {number} of the audit ({line.what}) was changed"
        previous = line.hash
    return None
