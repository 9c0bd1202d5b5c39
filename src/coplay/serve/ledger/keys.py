"""The keys that were given: whose they are, and whether they still open anything."""

from __future__ import annotations

import time
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.keys import draw_key, key_hash
from coplay.serve.store.models import Entrant, Key

LINKS = ("claim", "confirm")  # codes of letters, which open one page once and nothing else


class Holder(NamedTuple):
    """Who sent a key."""

    key: Key
    entrant: Entrant | None


def new_key(transaction: Session, kind: str, entrant: str | None = None, attempt: str | None = None) -> str:
    """A new key; what is returned is shown once and kept nowhere."""
    made = draw_key(kind)
    row = Key(kind=kind, prefix=made.prefix, hash=key_hash(made.text), created=time.time())
    row.entrant_id, row.attempt_id = entrant, attempt
    transaction.add(row)
    transaction.flush()
    return made.text


def find(transaction: Session, text: str | None) -> Holder:
    """Whose key this is; unknown, revoked and banned ones are refused."""
    if not text:
        raise ChallengeError("no key was sent; send it in the header: Authorization: Bearer coplay_...", 401, "no_key")
    key = transaction.scalar(select(Key).where(Key.hash == key_hash(text), Key.kind.not_in(LINKS)))
    if key is None:
        raise ChallengeError(
            "this key is not known here; check that it is complete and of this server.", 401, "bad_key"
        )
    if key.revoked is not None:
        raise ChallengeError(f"the key {key.prefix}... was revoked; ask the host for a new one.", 401, "revoked")
    entrant = transaction.get(Entrant, key.entrant_id) if key.entrant_id else None
    if entrant is not None and entrant.status != "approved":
        raise ChallengeError(f"{entrant.name} is {entrant.status}; ask the host.", 403, entrant.status)
    return Holder(key, entrant)


def end_links(transaction: Session, entrant: str, kind: str) -> None:
    """Codes of a kind that were sent to an entrant open nothing any more."""
    same = Key.entrant_id == entrant, Key.kind == kind, Key.revoked.is_(None)
    transaction.execute(update(Key).where(*same).values(revoked=time.time()))


def used(transaction: Session, key: str) -> None:
    """Notes when a key was last used."""
    transaction.execute(update(Key).where(Key.id == key).values(last_used=time.time()))


def revoke(transaction: Session, prefix: str) -> Key:
    """Ends the key that is listed as `prefix`."""
    found = list(transaction.scalars(select(Key).where(Key.prefix == prefix, Key.revoked.is_(None))))
    if len(found) != 1:
        raise ChallengeError(f"{len(found)} valid keys are listed as {prefix!r}; `coplay keys list` names them.", 404)
    found[0].revoked = time.time()
    return found[0]
