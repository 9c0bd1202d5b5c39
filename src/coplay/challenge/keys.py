"""Keys: 256 random bits with a prefix that says what they are for. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import secrets
from typing import NamedTuple

KINDS = ("test", "eval", "seat", "join", "watch", "admin", "claim", "confirm")


class NewKey(NamedTuple):
    """A key that nobody has seen yet."""

    text: str
    prefix: str  # what lists show of it


def draw_key(kind: str) -> NewKey:
    assert kind in KINDS
    text = f"coplay_{kind}_{secrets.token_urlsafe(32)}"
    return NewKey(text, text[: len(f"coplay_{kind}_") + 6])


def bearer(header: str | None) -> str | None:
    """The key in an Authorization header."""
    kind, _, text = (header or "").partition(" ")
    return text.strip() if kind.lower() == "bearer" else None


def key_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
