"""Keys: 256 random bits with a prefix that says what they are for. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import secrets
import time
from typing import NamedTuple

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.store.models import Entrant, Key

KINDS = ("test", "eval", "seat", "admin")


class Holder(NamedTuple):
    """Who sent a key."""

    key: Key
    entrant: Entrant | None


def new_key(transaction: Session, kind: str, entrant: str | None = None, attempt: str | None = None) -> str:
    """A new key; what is returned is shown once and kept nowhere."""
    assert kind in KINDS
    text = f"coplay_{kind}_{secrets.token_urlsafe(32)}"
    prefix = text[: len(f"coplay_{kind}_") + 6]
    row = Key(kind=kind, prefix=prefix, hash=_hash(text), entrant_id=entrant, attempt_id=attempt, created=time.time())
    transaction.add(row)
    transaction.flush()
    return text


def find(transaction: Session, text: str | None) -> Holder:
    """Whose key this is; unknown, revoked and banned ones are refused."""
    if not text:
        raise ChallengeError("no key was sent; send it in the header: Authorization: Bearer coplay_...", 401, "no_key")
    key = transaction.scalar(select(Key).where(Key.hash == _hash(text)))
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


def bearer(header: str | None) -> str | None:
    """The key in an Authorization header."""
    kind, _, text = (header or "").partition(" ")
    return text.strip() if kind.lower() == "bearer" else None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
