"""The nightly check: is the database still what was written? Attempts with a difference are frozen, not corrected.

The audit is a chain that cannot be changed unseen, so everything on a leaderboard is held against it: that the line is
there, whose it is, what it says. What it says is computed again from the logs.
"""

from __future__ import annotations

import json
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.audit import Line, broken_link
from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome import prediction
from coplay.challenge.outcome.scoring import log_hash, scores_of, summary
from coplay.challenge.pins import pool_hash
from coplay.challenge.rules import read_rules
from coplay.challenge.schedule import secret_hash
from coplay.serve.ledger import audit, predictions
from coplay.serve.ledger.hosting.entry import entry_of
from coplay.serve.ledger.hosting.host import changed_partners
from coplay.serve.ledger.ratings import rated
from coplay.serve.ledger.results import records
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Challenge, Entrant, Result, Table

SCORED = ("configuration scored", "prediction scored")  # lines that tell figures
PINNED = ("challenge made", "partners accepted")  # lines that name the hash of the partners


class Said:
    """What the audit says, by what it is about."""

    def __init__(self, lines: list[Line]) -> None:
        self._lines = [(line.number, line.actor, line.what, json.loads(line.detail)) for line in lines]

    def last(self, *whats: str, **detail: Any) -> dict[str, Any]:
        """The last line with one of these headings and these details, with its number, actor and heading; or {}."""
        for number, actor, what, said in reversed(self._lines):
            if what in whats and all(said.get(name) == value for name, value in detail.items()):
                return said | {"number": number, "actor": actor, "what": what}
        return {}

    def all(self, what: str) -> list[dict[str, Any]]:
        return [said for _, _, heading, said in self._lines if heading == what]


def check_database(database: Database) -> list[str]:
    """What is not as it was written, in words; nothing, if all is well."""
    problems = []
    with database.read() as transaction:
        lines = audit.lines(transaction)
        if broken := broken_link(lines):
            problems.append(f"{broken}.")
        said = Said(lines)
        for challenge in transaction.scalars(select(Challenge)):
            problems += _check_challenge(challenge, said)
        for entrant in transaction.scalars(select(Entrant)):
            problems += _check_entrant(entrant, said)
        attempts = list(transaction.scalars(select(Attempt).where(Attempt.kind == "eval")))
        problems += _missing_attempts(attempts, said)
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


def _check_challenge(challenge: Challenge, said: Said) -> list[str]:
    made = said.last("challenge made", id=challenge.id) | said.last("partners accepted", id=challenge.id)
    now = {"rules_version": read_rules(challenge.rules).version, "secret_hash": secret_hash(challenge.secret)}
    now["pool_hash"] = challenge.pool_hash
    if challenge.pins is not None and pool_hash(json.loads(challenge.pins)) != challenge.pool_hash:
        return [f"challenge {challenge.id}: what its partners are made of is not what was written down."]
    problem = "" if challenge.status == "closed" else changed_partners(challenge)
    changed = [f"challenge {challenge.id}: {problem}"] if problem else []
    return changed + [
        f"challenge {challenge.id}: {name} is not the one it was made with."
        for name in now
        if made.get(name) != now[name]
    ]


def _check_entrant(entrant: Entrant, said: Said) -> list[str]:
    """Who it says it is, and whether it competes."""
    problems, registered = [], said.last("entrant registered", entrant=entrant.id)
    if registered.get("entry_hash", entry_of(entrant)) != entry_of(entrant):
        problems.append(
            f"entrant {entrant.id}: name, method, data used, track or terms are not those it registered with."
        )
    marked = said.last("entrant made a baseline", "entrant no longer a baseline", entrant=entrant.id)
    if entrant.baseline != (marked.get("what") == "entrant made a baseline"):
        problems.append(f"entrant {entrant.id}: the host did not mark it so (baseline: {entrant.baseline}).")
    return problems


def _missing_attempts(attempts: list[Attempt], said: Said) -> list[str]:
    there = {attempt.id for attempt in attempts}
    gone = [one["attempt"] for one in said.all("attempt started") if one["attempt"] not in there]
    return [f"attempt {id}: it was started and is not there." for id in gone]


def _check_attempt(transaction: Session, attempt: Attempt, said: Said) -> list[str]:
    """Whose it is, its schedule, and every result: that it is there and what it says."""
    where, problems = f"attempt {attempt.id}", []
    started = said.last("attempt started", attempt=attempt.id)
    if started.get("schedule_hash") != attempt.schedule_hash:
        problems.append(f"{where}: its schedule is not the one it started with.")
    if started.get("actor") != f"entrant {attempt.entrant_id}" or started.get("challenge") != attempt.challenge_id:
        problems.append(f"{where}: it is not of the entrant or the challenge that it was started in.")
    results = list(transaction.scalars(select(Result).where(Result.attempt_id == attempt.id)))
    gone = _scored(attempt, said) - {result.configuration for result in results}
    problems += [f"{where}: it was scored in {name} and the result is not there." for name in sorted(gone)]
    for result in results:
        problems += _check_standing(transaction, attempt, result, said)
        if result.mean is None:
            problems += _check_prediction(transaction, attempt, result, said)
        else:
            problems += _check_result(transaction, attempt, result, said)
    return problems


def _scored(attempt: Attempt, said: Said) -> set[str]:
    """The configurations that must have a result: those whose last score was not taken back."""
    own = [one for what in SCORED for one in said.all(what) if one["attempt"] == attempt.id]
    names = {one["configuration"] for one in own if "configuration" in one}  # predictions of before name none
    last = {name: said.last(*SCORED, "score undone", attempt=attempt.id, configuration=name) for name in names}
    return {name for name, line in last.items() if line["what"] != "score undone"}


def _foreseen(attempt: Attempt, configuration: str, said: Said) -> dict[str, Any]:
    """The line about a prediction; those of before, of which a challenge had one, do not name it."""
    scored = said.last("prediction scored", attempt=attempt.id, configuration=configuration)
    return scored or said.last("prediction scored", attempt=attempt.id)


def _check_standing(transaction: Session, attempt: Attempt, result: Result, said: Said) -> list[str]:
    """Under which rules it was scored, and whether it was withdrawn."""
    where, problems = f"attempt {attempt.id}, {result.configuration}", []
    challenge = transaction.get(Challenge, attempt.challenge_id)
    hashes = {one["pool_hash"] for what in PINNED for one in said.all(what) if one["id"] == attempt.challenge_id}
    if challenge is None or result.rules_version != challenge.rules_version or result.pool_hash not in hashes:
        problems.append(f"{where}: its rules or partners are not those of the challenge.")
    withdrawn = said.last("results withdrawn", entrant=attempt.entrant_id).get("number", -1)
    scored = said.last("configuration scored", attempt=attempt.id, configuration=result.configuration)
    scored = scored or _foreseen(attempt, result.configuration, said)
    if (result.status == "withdrawn") != (withdrawn > scored.get("number", withdrawn)):
        problems.append(f"{where}: it is {result.status}, and the host did not make it so.")
    return problems


def _check_result(transaction: Session, attempt: Attempt, result: Result, said: Said) -> list[str]:
    where = f"attempt {attempt.id}, {result.configuration}"
    noted = said.last("configuration scored", attempt=attempt.id, configuration=result.configuration)
    try:
        games = records(transaction, attempt.id, result.configuration)
        scores = scores_of(attempt.configurations, games)
    except ValueError as error:
        return [f"{where}: {error}."]
    problems = []
    if len({log_hash(games), result.log_hash, noted.get("log_hash")}) != 1:
        problems.append(f"{where}: its logs are not those that were scored.")
    if result.partial != noted.get("partial"):
        problems.append(f"{where}: whether it is partial is not what was written.")
    same = Table.attempt_id == attempt.id, Table.configuration == result.configuration
    for table in transaction.scalars(select(Table).where(*same)):
        if table.score != scores.get(table.id):
            problems.append(f"{where}: table {table.id} scores {scores.get(table.id)} by its log, not {table.score}.")
    again = summary(games, scores)._asdict() if games else {}
    if result.rounds is not None:
        rating = rated(transaction, attempt, result.configuration, scores)
        again |= {name: value for name, value in rating.items() if value is not None}
        problems += [f"{where}: it has no {name} by its logs." for name in _too_many(result, rating)]
    return problems + _differences(where, result, again)


def _too_many(result: Result, rating: dict[str, Any]) -> list[str]:
    return [name for name, value in rating.items() if value is None and getattr(result, name) is not None]


def _check_prediction(transaction: Session, attempt: Attempt, result: Result, said: Said) -> list[str]:
    """Its cross-entropy, from the answers that are stored."""
    where = f"attempt {attempt.id}, {result.configuration}"
    challenge = transaction.get(Challenge, attempt.challenge_id)
    assert challenge is not None
    try:
        sets = prediction.sets_of(read_rules(challenge.rules))
        number = [prediction.name_of(one) for one in sets].index(result.configuration)
        data = prediction.recorded(sets[number])
        found = prediction.judge(prediction.of_set(predictions.answers(transaction, attempt.id), number), data)
    except (ChallengeError, ValueError, OSError) as error:
        return [f"{where}: {error}."]
    again = {"cross_entropy": found.value, "low": found.low, "high": found.high, "games": len(data.lengths)}
    noted = _foreseen(attempt, result.configuration, said).get("cross_entropy")
    wrong = [] if noted == result.cross_entropy else [f"{where}: the cross-entropy is not the one that was written."]
    return wrong + _differences(where, result, again)


def _differences(where: str, result: Result, again: dict[str, float]) -> list[str]:
    return [
        f"{where}: {name} is {value:g} by its logs, not {getattr(result, name)}."
        for name, value in again.items()
        if getattr(result, name) is None or abs(getattr(result, name) - value) > 1e-9
    ]
