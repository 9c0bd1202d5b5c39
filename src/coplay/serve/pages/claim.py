"""Where links of letters lead: the code behind the # is put into a form, so that nothing happens before a click."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse

from coplay.challenge.errors import ChallengeError
from coplay.serve.http.api import public_rules, summary_of
from coplay.serve.http.guard import address_of
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.claims import use
from coplay.serve.pages.challenges import example_of
from coplay.serve.pages.pages import PageRoute, page, server_of

router = APIRouter(route_class=PageRoute)


@router.get("/claim")
def door() -> HTMLResponse:
    """Programs that look at letters open links too, so opening one does nothing yet."""
    return page("claim.html", message="")


@router.post("/claim")
def open_link(request: Request, code: Annotated[str, Form()] = "") -> HTMLResponse:
    """Confirms an address, or shows two keys; once."""
    server = server_of(request)
    try:
        with server.guard.key_from(address_of(request)), server.database.write() as transaction:
            found = use(transaction, code.strip())
            challenge = host.challenge_of(transaction, found.entrant.challenge_id)
            about = summary_of(challenge) | {"rules": public_rules(challenge)}
    except ChallengeError as problem:
        return page("claim.html", problem.status, message=str(problem))
    server.look_again()
    shown = {"challenge": about, "entrant": found.entrant, "keys": found.keys, "example": example_of(about)}
    return page("keys.html", url=str(request.base_url).rstrip("/"), key=found.keys and found.keys.test, **shown)
