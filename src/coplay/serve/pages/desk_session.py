"""The host's session: a random cookie whose hash is in the database. Any process knows it; signing out, revoking the
admin token and time end it, wherever a copy of the cookie may be."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy import delete
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.keys import key_hash
from coplay.serve.ledger import keys
from coplay.serve.store.models import DeskSession, Key

COOKIE = "coplay_host"
LASTS = 8 * 3600  # seconds


class Desk(NamedTuple):
    """Someone who has shown the admin token; `token` goes into every form, where no other site can read it."""

    key: str
    token: str


def admin_key(transaction: Session, text: str) -> Key:
    """The key behind an admin token."""
    key = keys.find(transaction, text.strip()).key
    if key.kind != "admin":
        raise ChallengeError("this key is not an admin token; `coplay keys admin` makes one.", 403, "wrong_key")
    return key


def begin(transaction: Session, request: Request, response: Response, key: Key) -> None:
    """Sets the cookie. Only pages of the desk get it, no script can read it, and no other site can send it."""
    transaction.execute(delete(DeskSession).where(DeskSession.until < time.time()))
    value = secrets.token_urlsafe(32)
    transaction.add(DeskSession(hash=key_hash(value), key_id=key.id, until=time.time() + LASTS))
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, value, max_age=LASTS, path="/admin", httponly=True, samesite="strict", secure=secure)


def end(transaction: Session, request: Request, response: Response) -> None:
    """Signs out: the cookie opens nothing any more."""
    transaction.execute(delete(DeskSession).where(DeskSession.hash == key_hash(request.cookies.get(COOKIE, ""))))
    response.delete_cookie(COOKIE, path="/admin")


def desk_of(transaction: Session, request: Request) -> Desk | None:
    """Who sits at the desk; None if nobody does."""
    value = request.cookies.get(COOKIE, "")
    session = transaction.get(DeskSession, key_hash(value))
    if session is None or session.until < time.time():
        return None
    key = transaction.get(Key, session.key_id)
    if key is None or key.kind != "admin" or key.revoked is not None:
        return None
    return Desk(key.id, hmac.new(value.encode(), b"coplay desk form", hashlib.sha256).hexdigest())


def check_form(transaction: Session, request: Request, token: str) -> Desk:
    """A form of the desk counts only with its token."""
    desk = desk_of(transaction, request)
    if desk is None:
        raise ChallengeError("you are not signed in; show the admin token at /admin.", 401, "no_key")
    if not hmac.compare_digest(desk.token.encode(), token.encode()):
        raise ChallengeError("this form is out of date; load the page and try again.", 403, "bad_form")
    return desk
