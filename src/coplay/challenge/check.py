"""The nightly check: is the database still what was written? Attempts with a difference are frozen, not corrected."""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge import audit
from coplay.challenge.rules import read_rules
from coplay.challenge.schedule import secret_hash
from coplay.challenge.scoring import log_hash, records, scores_of, summary
from coplay.challenge.store.database import Database
from coplay.challenge.store.models import Attempt, Audit, Challenge, Result, Table


def check_database(database: Database) -> list[str]:
    """What is not as it was written, in words; nothing, if all is well."""
    problems = []
    with database.read() as transaction:
        lines = list(transaction.scalars(select(Audit).order_by(Audit.number)))
        if broken := audit.broken_link(lines):
            problems.append(f"{broken}.")
        details = [(line.what, json.loads(line.detail)) for line in lines]
        said = {(what, one.get("attempt"), one.get("configuration")): one for what, one in details}
        for challenge in transaction.scalars(select(Challenge)):
            problems += _check_challenge(challenge, lines)
        attempts = list(transaction.scalars(select(Attempt).where(Attempt.kind == "eval")))
        found = {attempt.id: _check_attempt(transaction, attempt, said) for attempt in attempts}
        frozen = {attempt.id: attempt.frozen for attempt in attempts}
    for id, wrong in found.items():
        problems += wrong
        if wrong and not frozen[id]:
            with database.write() as transaction:
                attempt = transaction.get(Attempt, id)
                assert attempt is not None
                attempt.frozen = True
                audit.note(transaction, "check", "attempt frozen", attempt=id, why=wrong[0])
    return problems


def _check_challenge(challenge: Challenge, lines: list[Audit]) -> list[str]:
    made = [json.loads(line.detail) for line in lines if line.what == "challenge made"]
    said = next((detail for detail in made if detail.get("id") == challenge.id), {})
    now = {"rules_version": read_rules(challenge.rules).version, "secret_hash": secret_hash(challenge.secret)}
    now["pool_hash"] = challenge.pool_hash
    return [
        f"challenge {challenge.id}: {name} is not the one it was made with."
        for name in now
        if said.get(name) != now[name]
    ]


def _check_attempt(transaction: Session, attempt: Attempt, said: dict[tuple[str, Any, Any], dict]) -> list[str]:
    """Logs, scores and results of what is scored, and the schedule."""
    where = f"attempt {attempt.id}"
    problems = []
    if said.get(("attempt started", attempt.id, None), {}).get("schedule_hash") != attempt.schedule_hash:
        problems.append(f"{where}: its schedule is not the one it started with.")
    games = Result.attempt_id == attempt.id, Result.mean.is_not(None)
    for result in transaction.scalars(select(Result).where(*games)):
        noted = said.get(("configuration scored", attempt.id, result.configuration), {})
        problems += _check_result(transaction, attempt, result, noted)
    return problems


def _check_result(transaction: Session, attempt: Attempt, result: Result, noted: dict[str, Any]) -> list[str]:
    where = f"attempt {attempt.id}, {result.configuration}"
    try:
        games = records(transaction, attempt.id, result.configuration)
        scores = scores_of(attempt.configurations, games)
    except ValueError as error:
        return [f"{where}: {error}."]
    problems = []
    if len({log_hash(games), result.log_hash, noted.get("log_hash")}) != 1:
        problems.append(f"{where}: its logs are not those that were scored.")
    same = Table.attempt_id == attempt.id, Table.configuration == result.configuration
    for table in transaction.scalars(select(Table).where(*same)):
        if table.score != scores.get(table.id):
            problems.append(f"{where}: table {table.id} scores {scores.get(table.id)} by its log, not {table.score}.")
    again = summary(games, scores)._asdict() if games else {}
    problems += [
        f"{where}: {name} is {value:g} by its logs, not {getattr(result, name)}."
        for name, value in again.items()
        if getattr(result, name) is None or abs(getattr(result, name) - value) > 1e-9
    ]
    return problems
