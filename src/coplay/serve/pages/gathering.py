"""Coming together at a table: links that whoever laid it hands out, and the page behind an invitation."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from pydantic import BaseModel

from coplay.challenge.errors import ChallengeError
from coplay.serve.http.api import holder_of
from coplay.serve.http.guard import address_of
from coplay.serve.ledger import gathering
from coplay.serve.pages import consent
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.pages.participants import kept_until, known, participant, remember
from coplay.serve.pages.sitting import check_watchable, game_at, names_for, people_at, table_of
from coplay.serve.store.models import Attempt
from coplay.serve.store.places import Customs

router = APIRouter(route_class=PageRoute)
links = APIRouter()


class Wanted(BaseModel):
    """What whoever laid a table asks for: an invitation to a seat, an agent in it, or a way to watch."""

    what: Literal["invite", "agent", "watch"]
    seat: int = 0


@links.post("/play/{attempt}/links")
def make_link(request: Request, attempt: str, wanted: Wanted) -> JSONResponse:
    """A new key for somebody else. What it opens travels behind the #, as with all keys of tables."""
    holder, server = holder_of(request), server_of(request)
    with server.database.write() as transaction:
        gathering.laid_by(transaction, holder.key, attempt)
        found = transaction.get_one(Attempt, attempt)
        if found.customs is None:
            raise ChallengeError("only a table of several people has links.", 422, "bad_table")
        if wanted.what == "agent":
            gathering.seat_agent(transaction, attempt, wanted.seat, substitute_of(found))
            link = ""
        elif wanted.what == "watch":
            check_watchable(game_at(*table_of(transaction, attempt)))
            link = f"/play/{attempt}/watch#{gathering.watching_key(transaction, attempt)}"
        else:
            link = f"/play/{attempt}/join#{gathering.invite(transaction, attempt, wanted.seat)}"
    server.engine.look_at(attempt)
    return JSONResponse({"link": link}, headers={"Cache-Control": "no-store"})


@router.get("/play/{attempt}/join")
def join(request: Request, attempt: str) -> HTMLResponse:
    """What an invitation is to. Looking at it takes no seat: the key behind the # is sent with the answer."""
    with server_of(request).database.read() as transaction:
        found, row = table_of(transaction, attempt)
    if found.customs is None:
        raise ChallengeError("nobody is invited to this table.", 404, "unknown")
    game = game_at(found, row)
    number, given = known(request)
    names = names_for(game, found, row, None)
    shown = {"names": names, "people": people_at(row), "number": number, "given": given}
    kept = kept_until(server_of(request).settings.keep_days)
    return page("join.html", attempt=attempt, game=game, consent=consent, kept=kept, **shown)


@router.post("/play/{attempt}/join")
def take_seat(
    request: Request, attempt: str, invitation: Annotated[str, Form()], agreed: Annotated[str, Form()] = ""
) -> Response:
    """Takes the seat of an invitation."""
    server = server_of(request)
    with server.database.write() as transaction:
        with server.guard.key_from(address_of(request)):
            offered = gathering.invitation(transaction, invitation)
        if offered.attempt != attempt:
            raise ChallengeError(gathering.USED, 410, "used")
        person = participant(transaction, request, agreed == consent.VERSION)
        seat = gathering.sit_down(transaction, invitation, person.id)
    server.engine.look_at(attempt)
    return remember(request, RedirectResponse(f"/play/{attempt}?seat={seat.seat}#{seat.key}", 303), person.id)


def substitute_of(attempt: Attempt) -> str:
    """The agent that takes seats to which nobody comes."""
    customs = Customs.read(attempt.customs)
    if customs is None or not customs.substitute:
        raise ChallengeError("no substitute was chosen for this table.", 422, "bad_table")
    return customs.substitute
