"""Everything that is public of a challenge, in one file; `challenge/verify.py` says what is in it and checks it."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.verify import FORMAT, HASHES
from coplay.serve.ledger import audit, predictions
from coplay.serve.ledger.host import challenge_of
from coplay.serve.ledger.results import records
from coplay.serve.store.database import Database
from coplay.serve.store.models import FIGURES, Attempt, Challenge, Entrant, Result, Table

RESULT = (*FIGURES, "log_hash", "status")


def write_export(database: Database, challenge: str, path: str) -> str:
    """Writes the file; returns what is in it, in words."""
    with database.read() as transaction:
        found = challenge_of(transaction, challenge)
        if found.status != "closed":
            raise ChallengeError(
                f"{challenge} is {found.status}: others may still play its deals; close it first.", 409
            )
        ended = Attempt.status.in_(("finished", "partial", "withdrawn"))
        query = select(Attempt).where(Attempt.challenge_id == challenge, Attempt.kind == "eval", ended)
        attempts = [_attempt(transaction, one) for one in transaction.scalars(query.order_by(Attempt.created))]
        content = {
            "format": FORMAT,
            "challenge": _challenge(found),
            "attempts": attempts,
            "audit": [line._asdict() for line in audit.lines(transaction)],
        }
    partial = Path(f"{path}.partial")
    partial.write_bytes(gzip.compress(json.dumps(content).encode()))
    partial.replace(path)
    return f"{len(attempts)} attempts, {sum(len(one['tables']) for one in attempts)} games"


def _challenge(challenge: Challenge) -> dict[str, Any]:
    names = (*HASHES, "id", "title", "rules", "secret", "status", "opened", "closed")
    return {name: getattr(challenge, name) for name in names}


def _attempt(transaction: Session, attempt: Attempt) -> dict[str, Any]:
    shown = ("id", "number", "status", "schedule_hash", "configurations", "created", "finished")
    entrant = transaction.get(Entrant, attempt.entrant_id)
    results = transaction.scalars(select(Result).where(Result.attempt_id == attempt.id))
    query = select(Table.id, Table.score).where(Table.attempt_id == attempt.id)
    scores = {id: score for id, score in transaction.execute(query)}  # noqa: C416
    assert entrant is not None
    return {name: getattr(attempt, name) for name in shown} | {
        "entrant": {name: getattr(entrant, name) for name in ("id", "name", "method", "human_data", "baseline")},
        "results": [{name: getattr(result, name) for name in RESULT} for result in results],
        "tables": [one._asdict() | {"score": scores[one.id]} for one in records(transaction, attempt.id)],
        "answers": [
            (game, turn, base64.b64encode(probabilities).decode())
            for game, turn, probabilities in predictions.answers(transaction, attempt.id)
        ],
    }
