"""Who plays in a browser: a random number in a cookie, and their answer to the present text of consent."""

from __future__ import annotations

import re
import time

from fastapi import Request
from fastapi.responses import Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.serve.ledger import people
from coplay.serve.pages import consent
from coplay.serve.pages.pages import server_of
from coplay.serve.store.models import Consent, Person

COOKIE = "coplay_participant"
A_YEAR = 365 * 24 * 3600


def known(request: Request) -> tuple[str, bool]:
    """The number of this browser's person, if it has one, and whether they agreed to the present text."""
    with server_of(request).database.read() as transaction:
        person = _person(transaction, request)
        return (person.id, _answered(transaction, person.id) is True) if person else ("", False)


def participant(transaction: Session, request: Request, given: bool) -> Person:
    """Whoever changes their answer goes on under a new number: all games of a number have one answer."""
    person = _person(transaction, request)
    if person is not None and _answered(transaction, person.id) is given:
        return person
    person = people.new_person(transaction)
    people.answer_consent(transaction, person.id, consent.VERSION, given)
    return person


def remember(request: Request, answer: Response, person: str) -> Response:
    """The browser keeps the number."""
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, person, max_age=A_YEAR, path="/play", httponly=True, samesite="lax", secure=secure)
    return answer


def kept_until(days: int, now: float | None = None) -> str:
    """How long a game begun now is kept, in words."""
    if not days:
        return "until you ask the host to erase them"
    return "until " + time.strftime("%Y-%m-%d", time.gmtime((time.time() if now is None else now) + days * 24 * 3600))


def _person(transaction: Session, request: Request) -> Person | None:
    """Who played in this browser before."""
    given = request.cookies.get(COOKIE, "")
    return transaction.get(Person, given) if re.fullmatch(r"[0-9a-f]{16}", given) else None


def _answered(transaction: Session, person: str) -> bool | None:
    """A person's answer to the present text; None if there is none."""
    query = select(Consent.given).where(Consent.person_id == person, Consent.version == consent.VERSION)
    return transaction.scalar(query)
