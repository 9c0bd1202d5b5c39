"""The nightly check: is the database still what was written? Attempts with a difference are frozen, not corrected."""

from __future__ import annotations

import json

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
        said = {(line.what, json.loads(line.detail).get("attempt")): json.loads(line.detail) for line in lines}
        for challenge in transaction.scalars(select(Challenge)):
            problems += _check_challenge(challenge, lines)
        ended = Attempt.status.in_(("finished", "partial", "withdrawn"))
        attempts = list(transaction.scalars(select(Attempt).where(Attempt.kind == "eval", ended)))
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


def _check_attempt(transaction: Session, attempt: Attempt, said: dict[tuple[str, str | None], dict]) -> list[str]:
    where = f"attempt {attempt.id}"
    try:
        games = records(transaction, attempt.id)
        scores = scores_of(attempt.configurations, games)
    except ValueError as error:
        return [f"{where}: {error}."]
    problems = []
    ended = said.get(("attempt finished", attempt.id)) or said.get(("attempt partial", attempt.id)) or {}
    if len({log_hash(games), attempt.log_hash, ended.get("log_hash")}) != 1:
        problems.append(f"{where}: its logs are not those that were scored.")
    if said.get(("attempt started", attempt.id), {}).get("schedule_hash") != attempt.schedule_hash:
        problems.append(f"{where}: its schedule is not the one it started with.")
    for table in transaction.scalars(select(Table).where(Table.attempt_id == attempt.id)):
        if table.score != scores.get(table.id):
            problems.append(
                f"{where}: table {table.id} scores {scores.get(table.id)} by its log, {table.score} is stored."
            )
    for result in transaction.scalars(select(Result).where(Result.attempt_id == attempt.id)):
        again = summary([one for one in games if one.configuration == result.configuration], scores)._asdict()
        problems += [
            f"{where}: {result.configuration} has {name} {value:g} by its logs, {getattr(result, name)} is stored."
            for name, value in again.items()
            if getattr(result, name) is None or abs(getattr(result, name) - value) > 1e-9
        ]
    return problems
