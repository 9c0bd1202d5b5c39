"""The end of a challenge: no attempt goes on, what was played is scored, the secret is published."""

from __future__ import annotations

from sqlalchemy import select

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger import results
from coplay.serve.ledger.hosting import dates
from coplay.serve.ledger.hosting.host import close_challenge
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt


def close_and_score(database: Database, challenge: str, reason: str = "", actor: str = "host") -> int:
    """Closes a challenge; returns how many attempts were cut off. Their lines are marked partial."""
    with database.write() as transaction:
        close_challenge(transaction, challenge, actor, reason)
        query = select(Attempt.id).where(Attempt.challenge_id == challenge, Attempt.status == "open")
        unfinished = list(transaction.scalars(query))
    for attempt in unfinished:
        results.finish(database, attempt, force=True)
    return len(unfinished)


def close_due(database: Database, now: float) -> list[str]:
    """Closes the challenges whose date has come, and ends the attempts whose phase has; returns which challenges."""
    with database.read() as transaction:
        due, cut = dates.due(transaction, now), dates.cut_off(transaction, now)
    for attempt in cut:
        results.finish(database, attempt, force=True)
    closed = []
    for challenge in due:
        try:
            close_and_score(database, challenge, "its date has come", "server")
        except ChallengeError as problem:
            if problem.status != 409:  # else another process was quicker
                raise
        else:
            closed.append(challenge)
    return closed
