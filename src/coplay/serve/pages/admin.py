"""The host's desk: entrants, challenges, keys, drain. Whatever is done here needs a reason and is audited."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, NamedTuple

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import read_rules
from coplay.serve.http.guard import address_of
from coplay.serve.ledger.hosting import host, rescue
from coplay.serve.ledger.hosting.claims import claim_link
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.entrants import look_up
from coplay.serve.ledger.hosting.rescue import troubles
from coplay.serve.pages import desk_session
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.store.models import Audit, Challenge, Entrant

router = APIRouter(route_class=PageRoute)
ACTOR = "admin"
LINES = 30  # of the audit, and of games that wait
MANY = 50  # entrants on a page
STATUSES = ("unconfirmed", "pending", "approved", "rejected", "banned")
RUNNING = ("open", "paused")


class ShownOnce(NamedTuple):
    """Keys that were just made, for the one page that shows them."""

    entrant: Entrant
    pair: host.Keys | None = None
    single: str = ""
    link: str = ""


class Sought(NamedTuple):
    """Which entrants are listed."""

    word: str = ""
    challenge: str = ""
    status: str = ""
    begin: int = 0


Begin = Annotated[int, Query(ge=0, lt=2**31)]
Token = Annotated[str, Form()]
Reason = Annotated[str, Form()]


@router.get("/admin")
def desk(request: Request, q: str = "", of: str = "", status: str = "", begin: Begin = 0) -> HTMLResponse:
    """The desk, or the door to it; the words look entrants up."""
    return _desk(request, Sought(q[:200], of[:64], status[:16], begin))


@router.post("/admin/login")
def login(request: Request, token: Token = "") -> Response:
    server = server_of(request)
    if server.guard.wait("sign up", f"login {address_of(request)}"):
        raise ChallengeError("too many tries; wait a while.", 429, "too_many")
    answer = RedirectResponse("/admin", 303)
    with server.database.write() as transaction:
        try:
            key = desk_session.admin_key(transaction, token)
        except ChallengeError as problem:
            return page("login.html", problem.status, message=str(problem))
        desk_session.begin(transaction, request, answer, key)
    return answer


@router.post("/admin/logout")
def logout(request: Request, token: Token = "") -> Response:
    answer = RedirectResponse("/admin", 303)
    with server_of(request).database.write() as transaction:
        desk_session.check_form(transaction, request, token)
        desk_session.end(transaction, request, answer)
    return answer


@router.post("/admin/entrants/{entrant}")
def judge(
    request: Request,
    entrant: str,
    what: Annotated[str, Form()],
    token: Token = "",
    reason: Reason = "",
    mail: Annotated[str, Form()] = "",
) -> Response:
    """Lets an entrant in, or shows it the door, and tells it by mail if the host wishes so; or makes a link to keys."""

    def act(transaction: Session) -> ShownOnce | None:
        by_mail = mail == "yes"
        if what == "link":
            return ShownOnce(
                host.entrant_of(transaction, entrant), link=claim_link(transaction, entrant, ACTOR, reason)
            )
        if what != "approved":
            host.set_status(transaction, entrant, what, ACTOR, reason, by_mail)
            return None
        keys = host.let_in(transaction, entrant, ACTOR, reason, by_mail)
        return ShownOnce(host.entrant_of(transaction, entrant), pair=keys) if keys else None

    return _do(request, token, reason, act)


@router.post("/admin/entrants/{entrant}/key")
def new_key(
    request: Request, entrant: str, kind: Annotated[str, Form()], token: Token = "", reason: Reason = ""
) -> Response:
    """Another key; the older one of its kind ends."""

    def act(transaction: Session) -> ShownOnce:
        text = host.give_key(transaction, entrant, kind, ACTOR, reason)
        return ShownOnce(host.entrant_of(transaction, entrant), single=text)

    return _do(request, token, reason, act)


@router.post("/admin/entrants/{entrant}/baseline")
def set_baseline(
    request: Request, entrant: str, on: Annotated[str, Form()], token: Token = "", reason: Reason = ""
) -> Response:
    return _do(
        request, token, reason, lambda transaction: host.set_baseline(transaction, entrant, on == "yes", ACTOR, reason)
    )


@router.post("/admin/entrants/{entrant}/withdraw")
def withdraw(request: Request, entrant: str, token: Token = "", reason: Reason = "") -> Response:
    return _do(request, token, reason, lambda transaction: host.withdraw(transaction, entrant, ACTOR, reason))


@router.post("/admin/keys/revoke")
def revoke(request: Request, prefix: Annotated[str, Form()], token: Token = "", reason: Reason = "") -> Response:
    return _do(request, token, reason, lambda transaction: host.revoke_key(transaction, prefix, ACTOR, reason))


@router.post("/admin/challenges/{name}")
def set_challenge(
    request: Request, name: str, what: Annotated[str, Form()], token: Token = "", reason: Reason = ""
) -> Response:
    """Opens what is a draft or pauses; pauses or closes for good what is open; accepts partners that have changed."""

    def act(transaction: Session) -> None:
        if what == "open":
            host.open_challenge(transaction, name, ACTOR, reason)
        elif what == "pause":
            host.pause_challenge(transaction, name, ACTOR, reason)
        elif what == "accept":
            host.accept_partners(transaction, name, ACTOR, reason)
        elif what != "close":
            raise ChallengeError(f"{what[:20]!r}: a challenge can be opened, paused and closed.", 422)

    answer = _do(request, token, reason, act)
    if what == "close":  # in transactions of its own: scoring takes a while
        close_and_score(server_of(request).database, name, reason, ACTOR)
    return answer


@router.post("/admin/challenges/{name}/games/{game}")
def rescue_game(
    request: Request, name: str, game: str, what: Annotated[str, Form()], token: Token = "", reason: Reason = ""
) -> Response:
    """Tries a stuck deal again or takes it out; undoes a forfeit."""
    deeds = {"release": rescue.release, "void": rescue.void, "undo": rescue.undo}
    if what not in deeds:
        raise ChallengeError(f"{what[:20]!r}: a game can be released, voided, and its forfeit undone.", 422)
    answer = _do(request, token, reason, lambda transaction: None)
    deeds[what](server_of(request).database, name, [game], ACTOR, reason)  # in transactions of its own: it may score
    return answer


@router.post("/admin/drain")
def drain(request: Request, on: Annotated[str, Form()], token: Token = "", reason: Reason = "") -> Response:
    """Begins no games, or begins games again. Games that run go on."""

    def act(transaction: Session) -> None:
        server_of(request).drain(transaction, on == "yes", ACTOR, reason)

    return _do(request, token, reason, act)


def _do(request: Request, token: str, reason: str, act: Callable[[Session], object]) -> Response:
    """Checks who asks and why, does it in one transaction, and shows the desk again, with keys that are shown once."""
    with server_of(request).database.write() as transaction:
        desk_session.check_form(transaction, request, token)
        if not reason.strip():
            raise ChallengeError("give a reason: it goes into the audit.", 422, "no_reason")
        shown = act(transaction)
    server_of(request).look_again()
    return _desk(request, Sought(), shown) if isinstance(shown, ShownOnce) else RedirectResponse("/admin", 303)


def _desk(request: Request, sought: Sought, shown: ShownOnce | None = None) -> HTMLResponse:
    server = server_of(request)
    with server.database.read() as transaction:
        found = desk_session.desk_of(transaction, request)
        if found is None:
            return page("login.html", message="")
        challenges = list(transaction.scalars(select(Challenge).order_by(Challenge.created)))
        entrants = look_up(transaction, *sought, many=MANY)
        waiting = [
            (one.id, trouble)
            for one in challenges
            if one.status in RUNNING
            for trouble in troubles(transaction, one.id)
        ]
        lines = list(transaction.scalars(select(Audit).order_by(Audit.number.desc()).limit(LINES)))
    engine = server.engine
    return page(
        "admin.html",
        desk=found,
        challenges=[(one, read_rules(one.rules), _changed(one)) for one in challenges],
        entrants=entrants,
        sought=sought,
        many=MANY,
        statuses=STATUSES,
        troubles=waiting[:LINES],
        more_troubles=max(0, len(waiting) - LINES),
        audit=lines,
        draining=engine.draining,
        tables=len(engine.tables.live),
        shown=shown,
        site=server.settings.site or str(request.base_url).rstrip("/"),
        mails=server.mailbox is not None,
    )


def _changed(challenge: Challenge) -> str:
    return "" if challenge.status == "closed" else host.changed_partners(challenge)
