"""Attempts: started once, their schedule drawn at once, resumed as often as connections break."""

from __future__ import annotations

import json
import time

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.pins import check_partners
from coplay.challenge.rules import Rules, read_rules
from coplay.challenge.schedule import Seating, draw, schedule_hash
from coplay.serve.ledger import audit, rehearsals
from coplay.serve.ledger.dates import check_dates
from coplay.serve.store.models import Attempt, Challenge, Entrant, Table, random_id


def open_attempt(transaction: Session, entrant: Entrant, kind: str, games: int | None = None) -> Attempt:
    """The attempt that runs, or a new one; `kind` is that of the key. `games` shortens a rehearsal.

    The quota is one row's counter, raised in the transaction that draws the schedule: however many connections ask at
    once, no more attempts begin than the rules allow.
    """
    challenge = transaction.get(Challenge, entrant.challenge_id)
    assert challenge is not None
    # Whoever starts an attempt holds the entrant's row till the end of the transaction; others wait here.
    transaction.execute(update(Entrant).where(Entrant.id == entrant.id).values(status=Entrant.status))
    running = transaction.scalar(
        select(Attempt).where(Attempt.entrant_id == entrant.id, Attempt.kind == kind, Attempt.status == "open")
    )
    if running is not None:
        return running
    if challenge.status != "open":
        raise ChallengeError(
            f"the challenge {challenge.id} is {challenge.status}; it takes no new attempts.", 403, "not_open"
        )
    rules = read_rules(challenge.rules)
    check_dates(rules, challenge.id, kind, time.time())
    if kind == "eval":
        check_partners(rules, challenge.pool_hash, challenge.pins)
        change = update(Entrant).where(Entrant.id == entrant.id, Entrant.attempts_used < rules.attempts)
        if transaction.execute(change.values(attempts_used=Entrant.attempts_used + 1)).rowcount != 1:  # pyright: ignore[reportAttributeAccessIssue]
            text = f"all {rules.attempts} attempts of {entrant.name} are spent; rehearse with the test key."
            raise ChallengeError(text, 403, "spent")
    return _new_attempt(transaction, challenge, rules, entrant, kind, games)


def same_attempt(transaction: Session, entrant: Entrant, kind: str, attempt: str) -> Attempt:
    """The attempt that a connection had before it broke, also if it has ended since: its client has yet to hear so."""
    query = select(Attempt).where(Attempt.id == attempt, Attempt.entrant_id == entrant.id, Attempt.kind == kind)
    if (found := transaction.scalar(query)) is None:
        raise ChallengeError(f"this key has no attempt {attempt[:40]!r}; leave it out for a new one.", 404, "unknown")
    return found


def _new_attempt(
    transaction: Session, challenge: Challenge, rules: Rules, entrant: Entrant, kind: str, games: int | None
) -> Attempt:
    id = random_id()
    schedule = draw(rules, challenge.secret, id, rehearsal=kind == "test", games=games if kind == "test" else None)
    if kind == "test":
        rehearsals.admit(transaction, entrant.id, len(schedule), rules.rehearsal_games)
    earlier = select(func.max(Attempt.number)).where(Attempt.entrant_id == entrant.id, Attempt.kind == kind)
    attempt = Attempt(
        id=id,
        challenge_id=challenge.id,
        entrant_id=entrant.id,
        kind=kind,
        number=(transaction.scalar(earlier) or 0) + 1,
        status="open",
        configurations=json.dumps({c.name: {"game": c.game, "settings": c.settings} for c in rules.configurations}),
        schedule_hash=schedule_hash(schedule),
        created=time.time(),
    )
    transaction.add(attempt)
    transaction.flush()
    set_tables(transaction, id, schedule)
    if kind == "eval":
        detail = {"attempt": id, "challenge": challenge.id, "schedule_hash": attempt.schedule_hash}
        audit.note(transaction, f"entrant {entrant.id}", "attempt started", **detail)
    return attempt


def set_tables(transaction: Session, attempt: str, schedule: list[Seating]) -> None:
    """Writes the games of an attempt down, none begun."""
    rows = [
        {
            "id": random_id(),
            "attempt_id": attempt,
            "number": one.number,
            "configuration": one.configuration,
            "deal": one.deal,
            "seed": one.seed,
            "key": one.key,
            "seats": ",".join(map(str, one.seats)),
            "partners": json.dumps(one.partners),
            "status": "todo",
            "turn": 0,
            "holder": "",
            "offences": 0,
            "voids": 0,
            "reason": "",
        }
        for one in schedule
    ]
    transaction.execute(insert(Table), rows)


def progress(transaction: Session, attempt: str) -> dict[str, int]:
    """How many games of an attempt there are, by status."""
    query = select(Table.status, func.count()).where(Table.attempt_id == attempt).group_by(Table.status)
    counts = {row[0]: row[1] for row in transaction.execute(query)}
    over = counts.get("done", 0) + counts.get("forfeit", 0)
    return {"over": over, "total": sum(counts.values()) - counts.get("void", 0)} | counts
