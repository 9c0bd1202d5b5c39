"""Rehearsals are free and so have an end: so many games of an entrant in a day, and only the latest are kept."""

from __future__ import annotations

import math
import time

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger.hosting.erase import erase_attempts
from coplay.serve.store.models import Attempt, Table

KINDS = ("test", "random")  # of attempts that a test key begins; random: one game of the AH2AC2 client
A_DAY = 24 * 3600.0
KEPT = 5  # ended rehearsals that are older than a day, and their games


def admit(transaction: Session, entrant: str, games: int, most: int) -> None:
    """Refuses a rehearsal of so many games when it would be more than `most` within a day; forgets old ones."""
    now = time.time()
    _prune(transaction, entrant, now - A_DAY)
    begun = (
        select(Attempt.created, func.count())
        .join(Table, Table.attempt_id == Attempt.id)
        .where(Attempt.entrant_id == entrant, Attempt.kind.in_(KINDS), Attempt.created > now - A_DAY)
        .where(Table.status != "void")
        .group_by(Attempt.id, Attempt.created)
        .order_by(Attempt.created)
    )
    of_today = [(created, count) for created, count in transaction.execute(begun)]
    left = most - sum(count for _, count in of_today)
    if games <= left:
        return
    missing, wait = games - left, A_DAY
    for created, count in of_today:
        missing -= count
        if missing <= 0:
            wait = created + A_DAY - now
            break
    text = f"a test key rehearses {most} games in 24 hours, and {max(left, 0)} are left; this rehearsal has {games}. "
    text += f"Ask for fewer (games) or come back in {math.ceil(wait / 60)} minutes."
    raise ChallengeError(text, 429, "quota", retry_after=math.ceil(wait))


def _prune(transaction: Session, entrant: str, before: float) -> None:
    ended = select(Attempt.id).where(Attempt.entrant_id == entrant, Attempt.status != "open")
    old = list(transaction.scalars(ended.where(Attempt.kind == "test").order_by(Attempt.number.desc()).offset(KEPT)))
    old += transaction.scalars(ended.where(Attempt.kind == "random"))
    recent = set(transaction.scalars(select(Attempt.id).where(Attempt.id.in_(old), Attempt.created > before)))
    erase_attempts(transaction, [one for one in old if one not in recent])
