"""Links that work once: with one an entrant confirms its address, with another it gets its keys."""

from __future__ import annotations

import time
from typing import NamedTuple

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.keys import key_hash
from coplay.challenge.rules import read_rules
from coplay.serve.ledger import audit
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.keys import LINKS, end_links, new_key
from coplay.serve.store.models import Challenge, Entrant, Key, Letter

CLAIM_DAYS, CONFIRM_DAYS = 14, 3
A_DAY = 24 * 3600.0


class Claimed(NamedTuple):
    """Who came with a link, and the keys that are shown once; None: the host has yet to look at it."""

    entrant: Entrant
    keys: host.Keys | None


def claim_link(transaction: Session, entrant_id: str, actor: str = "host", reason: str = "") -> str:
    """A code that shows an approved entrant two new keys, once; older codes end. The keys that it has open what they
    open until it comes."""
    entrant = host.entrant_of(transaction, entrant_id)
    if entrant.status != "approved":
        raise ChallengeError(f"{entrant.name} is {entrant.status}; let it in first.", 409)
    code = code_for(transaction, entrant, "claim")
    audit.note(transaction, actor, "claim link made", entrant=entrant.id, reason=reason)
    return code


def code_for(transaction: Session, entrant: Entrant, kind: str) -> str:
    """A code of a kind; the older ones end."""
    end_links(transaction, entrant.id, kind)
    return new_key(transaction, kind, entrant.id)


def use(transaction: Session, text: str) -> Claimed:
    """Opens a link: confirms the address, or gives the keys."""
    key = transaction.scalar(select(Key).where(Key.hash == key_hash(text), Key.kind.in_(LINKS)))
    if key is None:
        raise ChallengeError("this code is not known here; check that the whole address was opened.", 401, "bad_key")
    days = CLAIM_DAYS if key.kind == "claim" else CONFIRM_DAYS
    if key.revoked is not None or time.time() > key.created + days * A_DAY:
        text = f"the code {key.prefix}... was used already, or is older than {days} days; ask the host for another."
        raise ChallengeError(text, 410, "revoked")
    # Of two who open it at once the second waits here, and then finds it used.
    mine = update(Key).where(Key.id == key.id, Key.revoked.is_(None)).values(revoked=time.time())
    if transaction.execute(mine).rowcount != 1:  # pyright: ignore[reportAttributeAccessIssue]
        raise ChallengeError(f"the code {key.prefix}... was used just now.", 410, "revoked")
    entrant = transaction.get_one(Entrant, key.entrant_id)
    return _confirmed(transaction, entrant) if key.kind == "confirm" else _claimed(transaction, entrant)


def _confirmed(transaction: Session, entrant: Entrant) -> Claimed:
    if entrant.status != "unconfirmed":
        raise ChallengeError(f"{entrant.name} is {entrant.status}; there is nothing to confirm.", 409)
    entrant.status = "pending"
    audit.note(transaction, f"entrant {entrant.id}", "address confirmed", entrant=entrant.id)
    if read_rules(transaction.get_one(Challenge, entrant.challenge_id).rules).auto_approve:
        return Claimed(entrant, host.approve(transaction, entrant.id, "server", "the challenge lets everyone in"))
    return Claimed(entrant, None)


def _claimed(transaction: Session, entrant: Entrant) -> Claimed:
    if entrant.status != "approved":
        raise ChallengeError(f"{entrant.name} is {entrant.status}; ask the host.", 403, entrant.status)
    whose = f"entrant {entrant.id}"
    pair = (host.give_key(transaction, entrant.id, kind, whose, "claimed by a link") for kind in ("test", "eval"))
    return Claimed(entrant, host.Keys(*pair))


def forget_unconfirmed(transaction: Session, now: float) -> int:
    """Entrants who never confirmed their address are forgotten, and their names are free; returns how many."""
    old = Entrant.status == "unconfirmed", Entrant.created < now - CONFIRM_DAYS * A_DAY
    gone = list(transaction.scalars(select(Entrant.id).where(*old)))
    for statement in (
        delete(Key).where(Key.entrant_id.in_(gone)),
        delete(Letter).where(Letter.entrant_id.in_(gone)),
        delete(Entrant).where(Entrant.id.in_(gone)),
    ):
        transaction.execute(statement)
    if gone:
        audit.note(transaction, "server", "unconfirmed entrants forgotten", entrants=len(gone))
    return len(gone)
