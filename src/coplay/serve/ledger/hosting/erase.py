"""Forgetting people: their games, answers and numbers, how to reach them. On request, or when the time for which these
are kept is over."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger import audit
from coplay.serve.store.database import Database
from coplay.serve.store.models import (
    Action,
    Attempt,
    Challenge,
    Consent,
    Entrant,
    Guess,
    Key,
    Person,
    Place,
    Result,
    Table,
)


def erase_person(database: Database, person: str, reason: str) -> int:
    """Erases everything that is kept under a number; returns how many games that were. The audit says only that."""
    with database.write() as transaction:
        if transaction.get(Person, person) is None:
            raise ChallengeError(f"{person!r}: nobody played under this number here.", 404, "unknown")
        attempts = list(transaction.scalars(select(Place.attempt_id).where(Place.person_id == person)))
        games = erase_attempts(transaction, attempts)
        _erase_people(transaction, [person])
        audit.note(transaction, "host", "person erased", games=games, reason=reason)
    return games


def erase_before(database: Database, moment: float) -> int:
    """Erases people's games begun before a moment (seconds since 1970), those being played apart, and the numbers
    that no game is left of."""
    with database.write() as transaction:
        played = select(Table.attempt_id).where(Table.status == "active", Table.holder != "")
        old = select(Attempt.id).where(Attempt.kind == "person", Attempt.created < moment, Attempt.id.not_in(played))
        games = erase_attempts(transaction, list(transaction.scalars(old)))
        left = select(Place.person_id).where(Place.person_id.is_not(None))
        gone = select(Person.id).where(Person.created < moment, Person.id.not_in(left))
        _erase_people(transaction, list(transaction.scalars(gone)))
        if games:
            audit.note(transaction, "server", "old games erased", games=games)
    return games


def erase_contacts(transaction: Session, moment: float) -> int:
    """Erases the contacts of entrants whose challenge closed before a moment; returns how many. Nothing of the board or
    the audit is about them."""
    over = select(Challenge.id).where(Challenge.status == "closed", Challenge.closed < moment)
    gone = update(Entrant).where(Entrant.challenge_id.in_(over), Entrant.contact != "").values(contact="")
    count: int = transaction.execute(gone).rowcount  # pyright: ignore[reportAttributeAccessIssue]
    if count:
        audit.note(transaction, "server", "contacts erased", entrants=count)
    return count


def erase_attempts(transaction: Session, attempts: Sequence[str]) -> int:
    """Erases attempts with all that was played in them; returns how many games that were."""
    tables = list(transaction.scalars(select(Table.id).where(Table.attempt_id.in_(attempts))))
    for statement in (
        delete(Action).where(Action.table_id.in_(tables)),
        delete(Table).where(Table.id.in_(tables)),
        delete(Guess).where(Guess.attempt_id.in_(attempts)),
        delete(Result).where(Result.attempt_id.in_(attempts)),
        delete(Place).where(Place.attempt_id.in_(attempts)),
        delete(Key).where(Key.attempt_id.in_(attempts)),
        delete(Attempt).where(Attempt.id.in_(attempts)),
    ):
        transaction.execute(statement)
    return len(tables)


def _erase_people(transaction: Session, people: Sequence[str]) -> None:
    transaction.execute(delete(Consent).where(Consent.person_id.in_(people)))
    transaction.execute(delete(Person).where(Person.id.in_(people)))
