"""What a host does about games that cannot go on or should not have ended: releases, voids, undoes. All is audited.

A deal whose partner failed three times is stuck and waits for the host. A forfeited game is over and scores 0; undone,
it goes on at the turn where it stood, with its whole bank and no offences, so nothing of the deal is seen twice. Where
its configuration was scored already, that result is taken back, with the figures in the audit, and computed anew later.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import read_rules
from coplay.serve.ledger import audit, results
from coplay.serve.ledger.hosting.dates import is_over
from coplay.serve.ledger.hosting.host import challenge_of
from coplay.serve.store.database import Database
from coplay.serve.store.models import Attempt, Entrant, Result, Table


class Trouble(NamedTuple):
    """A game that waits for the host, or might have to."""

    id: str
    entrant: str
    attempt: str
    configuration: str
    number: int
    deal: int
    status: str  # stuck, forfeit
    turn: int
    reason: str  # of the forfeit, or why its last try was voided


def troubles(transaction: Session, challenge: str, status: str | None = None) -> list[Trouble]:
    """The rated games of a challenge that are stuck or forfeited, stuck ones first."""
    challenge_of(transaction, challenge)
    query = (
        select(Table, Entrant.name)
        .join(Attempt, Table.attempt_id == Attempt.id)
        .join(Entrant, Attempt.entrant_id == Entrant.id)
        .where(Attempt.challenge_id == challenge, Attempt.kind == "eval")
        .where(Table.status.in_(("stuck", "forfeit") if status is None else (status,)))
        .order_by(Table.status.desc(), Entrant.name, Attempt.number, Table.number)
    )
    return [
        Trouble(row.id, name, row.attempt_id, row.configuration, row.number, row.deal, row.status, row.turn, row.reason)
        for row, name in transaction.execute(query)
    ]


def count_stuck(transaction: Session) -> int:
    """How many deals wait for a host, in all challenges."""
    return transaction.scalar(select(func.count()).where(Table.status == "stuck")) or 0


def release(
    database: Database, challenge: str, games: Sequence[str] = (), actor: str = "host", reason: str = ""
) -> int:
    """Stuck deals are tried again, by default all of a challenge: its partners were mended. Returns how many."""
    with database.write() as transaction:
        found = _chosen(transaction, challenge, games, "stuck")
        for one in found:
            change = {"status": "todo", "voids": 0}
            transaction.execute(update(Table).where(Table.id == one.id).values(**change))
            _note(transaction, actor, "deal released", one, reason)
    return len(found)


def void(database: Database, challenge: str, games: Sequence[str], actor: str = "host", reason: str = "") -> int:
    """Stuck deals that will not be played: they do not count, and the attempt can end without them."""
    with database.write() as transaction:
        found = _chosen(transaction, challenge, _named(games), "stuck")
        for one in found:
            change = {"status": "void", "reason": "voided by the host"}
            transaction.execute(update(Table).where(Table.id == one.id).values(**change))
            _note(transaction, actor, "deal voided", one, reason)
    for attempt in {one.attempt for one in found}:
        results.finish(database, attempt)
    return len(found)


def undo(database: Database, challenge: str, games: Sequence[str], actor: str = "host", reason: str = "") -> int:
    """Forfeited games go on where they stood."""
    with database.write() as transaction:
        host = challenge_of(transaction, challenge)
        if host.status == "closed":
            raise ChallengeError(f"{challenge} is closed; its games are over for good.", 409)
        found = _chosen(transaction, challenge, _named(games), "forfeit")
        rules = read_rules(host.rules)
        bank = rules.clock.bank
        for one in found:
            if is_over(rules, transaction.get_one(Attempt, one.attempt).configurations, time.time()):
                raise ChallengeError(f"the phase of {one.entrant}'s game {one.id} has ended; it is over for good.", 409)
            _reopen(transaction, one, actor, reason)
            change = {"status": "active", "holder": "", "bank": bank, "asked": None, "offences": 0, "reason": ""}
            transaction.execute(update(Table).where(Table.id == one.id).values(**change))
            _note(transaction, actor, "forfeit undone", one, reason)
    return len(found)


def games_of(transaction: Session, challenge: str, entrant: str) -> list[str]:
    """The forfeited games of one entrant."""
    return [one.id for one in troubles(transaction, challenge, "forfeit") if one.entrant == entrant]


def _named(games: Sequence[str]) -> Sequence[str]:
    """What cannot be meant of all games is said of each."""
    if not games:
        raise ChallengeError("name the games.", 422, "no_game")
    return games


def _chosen(transaction: Session, challenge: str, games: Sequence[str], status: str) -> list[Trouble]:
    """The games that a host names, or all of them."""
    there = {one.id: one for one in troubles(transaction, challenge, status)}
    if unknown := [id for id in games if id not in there]:
        word = {"stuck": "stuck", "forfeit": "forfeited"}[status]
        text = f"{unknown[0]!r} is no {word} game of {challenge}; `coplay challenge trouble {challenge}` lists them."
        raise ChallengeError(text, 404, "unknown")
    if not there:
        raise ChallengeError(f"no game of {challenge} is {status}.", 409, "nothing")
    return [there[id] for id in dict.fromkeys(games)] or list(there.values())


def _reopen(transaction: Session, one: Trouble, actor: str, reason: str) -> None:
    """The attempt of a game goes on; what was scored with it is taken back."""
    attempt = transaction.get_one(Attempt, one.attempt)
    same = Attempt.entrant_id == attempt.entrant_id, Attempt.kind == "eval", Attempt.status == "open"
    if transaction.scalar(select(Attempt.id).where(*same, Attempt.id != attempt.id)) is not None:
        text = f"{one.entrant} plays another attempt by now; end that first, or leave this game as it is."
        raise ChallengeError(text, 409, "another_attempt")
    attempt.status, attempt.finished = "open", None
    mine = Result.attempt_id == attempt.id, Result.configuration == one.configuration
    result = transaction.scalar(select(Result).where(*mine))
    if result is not None:
        if result.status == "withdrawn":
            raise ChallengeError(f"the results of {one.entrant} were withdrawn, for good.", 409, "withdrawn")
        detail = {"attempt": attempt.id, "configuration": one.configuration, "mean": result.mean, "reason": reason}
        audit.note(transaction, actor, "score undone", **detail)
        transaction.delete(result)
        scored = Table.attempt_id == attempt.id, Table.configuration == one.configuration
        transaction.execute(update(Table).where(*scored).values(score=None))
    transaction.flush()


def _note(transaction: Session, actor: str, what: str, one: Trouble, reason: str) -> None:
    detail = {"table": one.id, "attempt": one.attempt, "configuration": one.configuration, "deal": one.deal}
    audit.note(transaction, actor, what, **detail, reason=reason)
