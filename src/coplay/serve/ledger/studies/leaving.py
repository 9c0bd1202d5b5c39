"""Leaving a study: consent withdrawn in the middle, or a participant whom the host erases. Nothing they said or played
stays; what stays says that somebody was there, in which condition, and how far they came."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.experiment.steps import from_text, stage
from coplay.serve.ledger import audit
from coplay.serve.ledger.hosting.erase import erase_attempts
from coplay.serve.store.study_models import Answer, Participant, Passage


def withdraw(transaction: Session, participant: Participant, actor: str, reason: str = "") -> int:
    """Erases what somebody said and played; returns how many games that were. Their outside id is forgotten; its hash
    stays, so that nobody takes part twice. When they were there is forgotten, too."""
    where = participant.stage or stage(from_text(participant.steps), participant.step)
    games = _erase(transaction, [participant])
    participant.status, participant.stage, participant.steps = "withdrawn", where, "[]"
    participant.step = participant.failures = 0
    participant.outside_id = participant.joined = participant.until = participant.ended = None
    detail = {"id": participant.experiment_id, "games": games, "reason": reason}
    audit.note(transaction, actor, "participant withdrawn", **detail)
    return games


def forget(transaction: Session, participants: Sequence[Participant]) -> int:
    """Erases people whole, with their rows."""
    games = _erase(transaction, participants)
    for one in participants:
        transaction.delete(one)
    transaction.flush()
    return games


def _erase(transaction: Session, participants: Sequence[Participant]) -> int:
    ids = [one.id for one in participants]
    played = select(Passage.attempt_id).where(Passage.participant_id.in_(ids), Passage.attempt_id.is_not(None))
    attempts = [id for id in transaction.scalars(played) if id is not None]
    transaction.execute(delete(Answer).where(Answer.participant_id.in_(ids)))
    transaction.execute(delete(Passage).where(Passage.participant_id.in_(ids)))
    return erase_attempts(transaction, attempts)


def withdraw_named(transaction: Session, experiment: str, participant: str, reason: str) -> int:
    """As `withdraw`, for the host."""
    found = transaction.get(Participant, participant)
    if found is None or found.experiment_id != experiment or found.status == "withdrawn":
        raise ChallengeError(f"{participant!r}: nobody with this number is in {experiment}.", 404, "unknown")
    return withdraw(transaction, found, "host", reason)
