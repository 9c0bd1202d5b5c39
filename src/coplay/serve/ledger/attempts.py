"""Attempts: started once, their schedule drawn at once, resumed as often as connections break."""

from __future__ import annotations

import json
import time

from sqlalchemy import func, insert, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.pins import check_partners
from coplay.challenge.rules import Phase, Rules, read_rules
from coplay.challenge.schedule import Seating, draw, schedule_hash
from coplay.serve.ledger import audit, rehearsals
from coplay.serve.ledger.hosting.dates import check_dates, phase_now
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
    rules, now = read_rules(challenge.rules), time.time()
    check_dates(rules, challenge.id, kind, now)
    names = [one.name for one in rules.configurations]
    if kind == "eval":
        check_partners(rules, challenge.pool_hash, challenge.pins)
        phase = phase_now(rules, now)
        names = names if phase is None else list(phase.configurations)
        _spend(transaction, entrant, rules, phase)
    return _new_attempt(transaction, challenge, rules, entrant, kind, names, games)


def _spend(transaction: Session, entrant: Entrant, rules: Rules, phase: Phase | None) -> None:
    """Counts an attempt; where there are phases each has so many."""
    earlier = select(Attempt.configurations).where(Attempt.entrant_id == entrant.id, Attempt.kind == "eval")
    others = 0
    if phase is not None:
        others = sum(rules.phase_of(json.loads(one)) != phase for one in transaction.scalars(earlier))
    most = rules.attempts + others
    change = update(Entrant).where(Entrant.id == entrant.id, Entrant.attempts_used < most)
    if transaction.execute(change.values(attempts_used=Entrant.attempts_used + 1)).rowcount != 1:  # pyright: ignore[reportAttributeAccessIssue]
        where = f" in the phase {phase.name}" if phase else ""
        text = f"all {rules.attempts} attempts of {entrant.name}{where} are spent; rehearse with the test key."
        raise ChallengeError(text, 403, "spent")


def same_attempt(transaction: Session, entrant: Entrant, kind: str, attempt: str) -> Attempt:
    """The attempt that a connection had before it broke, also if it has ended since: its client has yet to hear so."""
    query = select(Attempt).where(Attempt.id == attempt, Attempt.entrant_id == entrant.id, Attempt.kind == kind)
    if (found := transaction.scalar(query)) is None:
        raise ChallengeError(f"this key has no attempt {attempt[:40]!r}; leave it out for a new one.", 404, "unknown")
    return found


def _new_attempt(
    transaction: Session,
    challenge: Challenge,
    rules: Rules,
    entrant: Entrant,
    kind: str,
    names: list[str],
    games: int | None,
) -> Attempt:
    """An attempt in the configurations that are named."""
    id, test, chosen = random_id(), kind == "test", [rules.configuration(name) for name in names]
    schedule = draw(rules, challenge.secret, id, rehearsal=test, games=games if test else None, only=names)
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
        configurations=json.dumps({c.name: {"game": c.game, "settings": c.settings} for c in chosen}),
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
