"""Everything public of a challenge in one file; `challenge/outcome/verify.py` says what is in it and checks it."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.audit import WITHHELD, Line
from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.verify import FORMAT, HASHES
from coplay.serve.ledger import audit, predictions
from coplay.serve.ledger.hosting.host import challenge_of
from coplay.serve.ledger.results import records
from coplay.serve.store.database import Database
from coplay.serve.store.models import FIGURES, Attempt, Challenge, Entrant, Result, Table

RESULT = (*FIGURES, "log_hash", "status")
ENTRANT = ("id", "name", "method", "human_data", "baseline", "track", "terms", "accepted")
SHOWN = ("configuration", "partial", "status")  # of a result that was withdrawn


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
        withdrawn = {(one["id"], result["configuration"]) for one in attempts for result in _withdrawn(one)}
        content = {
            "format": FORMAT,
            "challenge": _challenge(found),
            "attempts": attempts,
            "audit": [_told(line, withdrawn)._asdict() for line in audit.lines(transaction)],
        }
    partial = Path(f"{path}.partial")
    partial.write_bytes(gzip.compress(json.dumps(content).encode()))
    partial.replace(path)
    return f"{len(attempts)} attempts, {sum(len(one['tables']) for one in attempts)} games"


def _withdrawn(attempt: dict[str, Any]) -> list[dict[str, Any]]:
    return [result for result in attempt["results"] if result["status"] == "withdrawn"]


def _told(line: Line, withdrawn: set[tuple[str, str]]) -> Line:
    """A line of the audit, without its detail where that is the figure of something withdrawn."""
    said = json.loads(line.detail)
    hidden = (said.get("attempt"), said.get("configuration")) in withdrawn and {"mean", "cross_entropy"} & set(said)
    return line._replace(detail=WITHHELD) if hidden else line


def _challenge(challenge: Challenge) -> dict[str, Any]:
    names = (*HASHES, "id", "title", "rules", "secret", "status", "opened", "closed")
    return {name: getattr(challenge, name) for name in names}


def _attempt(transaction: Session, attempt: Attempt) -> dict[str, Any]:
    shown = ("id", "number", "status", "schedule_hash", "configurations", "created", "finished")
    entrant = transaction.get(Entrant, attempt.entrant_id)
    results = list(transaction.scalars(select(Result).where(Result.attempt_id == attempt.id)))
    hidden = {one.configuration for one in results if one.status == "withdrawn"}
    query = select(Table.id, Table.score).where(Table.attempt_id == attempt.id)
    scores = {id: score for id, score in transaction.execute(query)}  # noqa: C416
    played = [one for one in records(transaction, attempt.id) if one.configuration not in hidden]
    foreseen = any(one.cross_entropy is not None and one.status != "withdrawn" for one in results)
    answers = predictions.answers(transaction, attempt.id) if foreseen else []
    assert entrant is not None
    return {name: getattr(attempt, name) for name in shown} | {
        "entrant": {name: getattr(entrant, name) for name in ENTRANT},
        "results": [_result(one) for one in results],
        "tables": [one._asdict() | {"score": scores[one.id]} for one in played],
        "answers": [(game, turn, base64.b64encode(probabilities).decode()) for game, turn, probabilities in answers],
    }


def _result(result: Result) -> dict[str, Any]:
    """Of a withdrawn one, that it was there."""
    said = {name: getattr(result, name) for name in RESULT}
    return (
        {name: value if name in SHOWN else None for name, value in said.items()}
        if result.status == "withdrawn"
        else said
    )
