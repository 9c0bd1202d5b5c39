"""Forgetting a person: their games, their answers, their number."""

from __future__ import annotations

from sqlalchemy import delete, select

from coplay.challenge import audit
from coplay.challenge.errors import ChallengeError
from coplay.challenge.store.database import Database
from coplay.challenge.store.models import Action, Attempt, Consent, Key, Person, Result, Table


def erase_person(database: Database, person: str, reason: str) -> int:
    """Erases everything that is kept under a number; returns how many games that were. The audit says only that."""
    with database.write() as transaction:
        if transaction.get(Person, person) is None:
            raise ChallengeError(f"{person!r}: nobody played under this number here.", 404, "unknown")
        attempts = list(transaction.scalars(select(Attempt.id).where(Attempt.person_id == person)))
        tables = list(transaction.scalars(select(Table.id).where(Table.attempt_id.in_(attempts))))
        for statement in (
            delete(Action).where(Action.table_id.in_(tables)),
            delete(Table).where(Table.id.in_(tables)),
            delete(Result).where(Result.attempt_id.in_(attempts)),
            delete(Key).where(Key.attempt_id.in_(attempts)),
            delete(Attempt).where(Attempt.id.in_(attempts)),
            delete(Consent).where(Consent.person_id == person),
            delete(Person).where(Person.id == person),
        ):
            transaction.execute(statement)
        audit.note(transaction, "host", "person erased", games=len(tables), reason=reason)
    return len(tables)
