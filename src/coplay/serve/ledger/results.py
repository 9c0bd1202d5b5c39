"""Results, written when all games of a configuration are over."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

from sqlalchemy import bindparam, select, update
from sqlalchemy.orm import Session

from coplay.challenge.outcome.scoring import Record, log_hash, scores_of, summary
from coplay.serve.ledger import audit
from coplay.serve.ledger.ratings import rated
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Challenge, Result, Table
from coplay.serve.store.seats import logs


def records(transaction: Session, attempt: str, configuration: str | None = None) -> list[Record]:
    """The games of an attempt that count."""
    query = select(Table).where(Table.attempt_id == attempt, Table.status.in_(("done", "forfeit")))
    if configuration is not None:
        query = query.where(Table.configuration == configuration)
    tables = list(transaction.scalars(query))
    found = logs(transaction, [table.id for table in tables])
    return [
        Record(t.id, t.configuration, t.deal, t.seed, t.seats, t.partners, t.status, tuple(found[t.id])) for t in tables
    ]


def finish(database: Database, attempt: str, force: bool = False) -> list[str]:
    """Scores the configurations whose games are all over, and ends the attempt when that is every one of them.

    With `force` it ends now: what was played is scored and marked partial. Returns the configurations scored.
    """
    with database.read() as transaction:
        found = transaction.get(Attempt, attempt)
        if found is None or found.status != "open":
            return []
        names = list(json.loads(found.configurations))
        running = Table.status.in_(("todo", "active", "stuck"))
        query = select(Table.configuration).where(Table.attempt_id == attempt, running).distinct()
        unfinished = set(transaction.scalars(query))
        written = set(transaction.scalars(select(Result.configuration).where(Result.attempt_id == attempt)))
    if force and unfinished:
        with database.write() as transaction:  # whoever still plays them can no longer write
            transaction.execute(update(Table).where(Table.attempt_id == attempt, running).values(status="cut"))
    due = [name for name in names if name not in written and (force or name not in unfinished)]
    scored = [name for name in due if _score(database, found, name, name in unfinished)]
    if force or not unfinished:
        with database.write() as transaction:
            status = "partial" if unfinished else "finished"
            change = update(Attempt).where(Attempt.id == attempt, Attempt.status == "open")
            transaction.execute(change.values(status=status, finished=time.time()))
    return scored


def scored_configurations(database: Database, attempt: str) -> list[str]:
    """The configurations of an attempt that have results."""
    with database.read() as transaction:
        return list(transaction.scalars(select(Result.configuration).where(Result.attempt_id == attempt)))


def _score(database: Database, attempt: Attempt, configuration: str, partial: bool) -> bool:
    """Replays the games of one configuration and writes their scores and the result."""
    with database.read() as transaction:
        games = records(transaction, attempt.id, configuration)
    if not games:
        return False
    scores = scores_of(attempt.configurations, games)
    with database.write() as transaction:
        written = select(Result.id).where(Result.attempt_id == attempt.id, Result.configuration == configuration)
        if transaction.scalar(written) is not None:  # another process was quicker
            return False
        rows = [{"b_id": table, "b_score": score} for table, score in scores.items()]
        change = update(Table).where(Table.id == bindparam("b_id")).values(score=bindparam("b_score"))
        transaction.connection().execute(change, rows)
        _write_result(transaction, attempt, configuration, games, scores, partial)
    return True


def _write_result(
    transaction: Session,
    attempt: Attempt,
    configuration: str,
    games: Sequence[Record],
    scores: dict[str, float],
    partial: bool,
) -> None:
    challenge = transaction.get(Challenge, attempt.challenge_id) if attempt.challenge_id else None
    found, digest = summary(games, scores), log_hash(games)
    transaction.add(
        Result(
            attempt_id=attempt.id,
            configuration=configuration,
            **found._asdict(),
            **rated(transaction, attempt, configuration, scores),
            partial=partial,
            log_hash=digest,
            rules_version=challenge.rules_version if challenge else "",
            pool_hash=challenge.pool_hash if challenge else "",
            created=time.time(),
        )
    )
    if attempt.kind == "eval":
        detail = {"attempt": attempt.id, "configuration": configuration, "log_hash": digest, "mean": found.mean}
        audit.note(transaction, "server", "configuration scored", **detail, partial=partial)
