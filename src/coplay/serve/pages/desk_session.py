"""The host's session: a signed cookie, so that any process knows it and revoking the admin token ends it."""

from __future__ import annotations

import hashlib
import hmac
import time
from typing import NamedTuple

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger import keys
from coplay.serve.store.models import Key

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


def begin(request: Request, response: Response, key: Key) -> None:
    """Sets the cookie. Only pages of the desk get it, no script can read it, and no other site can send it."""
    until = int(time.time()) + LASTS
    value = f"{key.id}.{until}.{_sign(key, f'session {until}')}"
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, value, max_age=LASTS, path="/admin", httponly=True, samesite="strict", secure=secure)


def end(response: Response) -> None:
    response.delete_cookie(COOKIE, path="/admin")


def desk_of(transaction: Session, request: Request) -> Desk | None:
    """Who sits at the desk; None if nobody does."""
    parts = request.cookies.get(COOKIE, "").split(".")
    if len(parts) != 3 or not parts[1].isdigit() or int(parts[1]) < time.time():
        return None
    key = transaction.get(Key, parts[0])
    if key is None or key.kind != "admin" or key.revoked is not None:
        return None
    if not hmac.compare_digest(_sign(key, f"session {parts[1]}"), parts[2]):
        return None
    return Desk(key.id, _sign(key, f"form {parts[1]}"))


def check_form(transaction: Session, request: Request, token: str) -> Desk:
    """A form of the desk counts only with its token."""
    desk = desk_of(transaction, request)
    if desk is None:
        raise ChallengeError("you are not signed in; show the admin token at /admin.", 401, "no_key")
    if not hmac.compare_digest(desk.token.encode(), token.encode()):
        raise ChallengeError("this form is out of date; load the page and try again.", 403, "bad_form")
    return desk


def _sign(key: Key, text: str) -> str:
    """The stored hash of a 256-bit token is itself a secret that only this server has."""
    return hmac.new(key.hash.encode(), f"coplay desk {key.id} {text}".encode(), hashlib.sha256).hexdigest()
