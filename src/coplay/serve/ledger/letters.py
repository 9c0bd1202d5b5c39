"""Letters that wait to be sent. What they say is written when they are sent: no code that opens something is kept."""

from __future__ import annotations

from sqlalchemy import delete, func, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.serve.store.models import Entrant, Letter

KINDS = ("confirm", "claim", "approved", "rejected", "banned", "waiting")
TRIES = 10
FIRST_WAIT, LONGEST_WAIT = 60.0, 6 * 3600.0  # seconds between two tries; each is twice as long as the one before
A_DAY = 24 * 3600.0
KEPT_DAYS = 30  # that somebody was written to, and when
MOST_A_DAY = 5  # letters to one address that somebody who only knows the address can cause


def write(transaction: Session, entrant: Entrant, kind: str, now: float, reason: str = "") -> Letter:
    """A letter that is sent as soon as it can be."""
    assert kind in KINDS
    letter = Letter(entrant_id=entrant.id, kind=kind, reason=reason, created=now, due=now)
    transaction.add(letter)
    return letter


def check_not_flooded(transaction: Session, address: str, now: float) -> None:
    """Nobody fills a stranger's mailbox by registering with their address."""
    recent = select(func.count()).select_from(Letter).join(Entrant, Letter.entrant_id == Entrant.id)
    same = func.lower(Entrant.contact) == address.lower(), Letter.kind == "confirm", Letter.created > now - A_DAY
    if (transaction.scalar(recent.where(*same)) or 0) >= MOST_A_DAY:
        text = f"{MOST_A_DAY} registrations with this address wait to be confirmed; open one of the letters first."
        raise ChallengeError(text, 429, "too_many", retry_after=int(A_DAY))


def take_due(transaction: Session, now: float) -> Letter | None:
    """A letter to be sent now. It is put off at once, so that of several processes one sends it, and again only after
    a while if that process dies."""
    query = select(Letter).where(Letter.sent.is_(None), Letter.due <= now, Letter.tries < TRIES)
    letter = transaction.scalar(query.order_by(Letter.due).limit(1))
    if letter is None:
        return None
    wait = min(LONGEST_WAIT, FIRST_WAIT * 2**letter.tries)
    change = update(Letter).where(Letter.id == letter.id, Letter.tries == letter.tries, Letter.sent.is_(None))
    taken = transaction.execute(change.values(tries=letter.tries + 1, due=now + wait))
    return letter if taken.rowcount == 1 else None  # pyright: ignore[reportAttributeAccessIssue]


def settle(transaction: Session, letter: str, now: float, problem: str = "") -> None:
    """It was handed in, or could not be."""
    done = {"problem": problem[:500]} if problem else {"problem": "", "sent": now}
    transaction.execute(update(Letter).where(Letter.id == letter).values(**done))


def listed(transaction: Session, waiting: bool = False) -> list[tuple[Letter, Entrant]]:
    """Letters with whom they are about, the newest last; those that wait, or all."""
    query = select(Letter, Entrant).join(Entrant, Letter.entrant_id == Entrant.id).order_by(Letter.created)
    if waiting:
        query = query.where(Letter.sent.is_(None))
    return [(letter, entrant) for letter, entrant in transaction.execute(query)]


def forget(transaction: Session, before: float) -> None:
    """Letters of before a moment, sent or not."""
    transaction.execute(delete(Letter).where(Letter.created < before))
