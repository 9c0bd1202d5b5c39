"""Pages about challenges: which there are, their rules and leaderboards, how to enter them."""

from __future__ import annotations

import time
from collections import Counter
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse
from sqlalchemy import select

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.board import Line, by_rating
from coplay.challenge.rules import read_rules
from coplay.serve.http.api import public_rules, summary_of
from coplay.serve.http.guard import address_of
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.dates import embargoed
from coplay.serve.ledger.hosting.entry import LIMITS, track_of
from coplay.serve.pages.games import people_of_worlds, seatings
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.store.models import Challenge

router = APIRouter(route_class=PageRoute)


@router.get("/")
def start(request: Request) -> HTMLResponse:
    """What this is, and which challenges run."""
    with server_of(request).database.read() as transaction:
        query = select(Challenge).where(Challenge.status != "draft").order_by(Challenge.created.desc())
        found = [summary_of(one) | {"rules": public_rules(one)} for one in transaction.scalars(query)]
        offered = seatings(transaction)
    invitations = [people.invitation for people in people_of_worlds().values()]
    return page("start.html", challenges=found, invitations=invitations, offered=offered)


@router.get("/challenges/{name}")
def challenge(request: Request, name: str, by: Literal["mean", "rating"] = "mean", track: str = "") -> HTMLResponse:
    """Rules and leaderboards of one challenge or one of its tracks, in the order of means or of ratings."""
    found, lines = _challenge(request, name, track)
    names = [one["name"] for one in _games(found)]
    # Predictions stand beside the games with as many players; those without such games have a board of their own.
    alone = {line.configuration for line in lines if line.configuration.removeprefix("prediction ") not in names}
    own = {name: [line for line in lines if line.configuration == name] for name in (*names, *sorted(alone))}
    boards = {name: ranked(by_rating(lines) if by == "rating" else lines) for name, lines in own.items()}
    unequal = {name: len({line.rounds for line in lines if line.rounds}) > 1 for name, lines in own.items()}
    rated = {name: any(line.rating is not None for line in lines) for name, lines in own.items()}
    return page("challenge.html", challenge=found, boards=boards, by=by, track=track, unequal=unequal, rated=rated)


@router.get("/challenges/{name}/enter")
def how_to_enter(request: Request, name: str) -> HTMLResponse:
    """Code that plays here when it is pasted."""
    found, _ = _challenge(request, name)
    return page(
        "enter.html", challenge=found, url=str(request.base_url).rstrip("/"), key=None, example=example_of(found)
    )


@router.get("/challenges/{name}/register")
def registration(request: Request, name: str) -> HTMLResponse:
    found, _ = _challenge(request, name)
    return page("register.html", challenge=found, limits=LIMITS, given={}, message="")


@router.post("/challenges/{name}/register")
def register(
    request: Request,
    name: str,
    entrant: Annotated[str, Form(alias="name")] = "",
    method: Annotated[str, Form()] = "",
    contact: Annotated[str, Form()] = "",
    human_data: Annotated[str, Form()] = "",
    track: Annotated[str, Form()] = "",
    terms: Annotated[str, Form()] = "",
) -> HTMLResponse:
    """Enters a challenge; the keys are on the answer and nowhere else."""
    found, _ = _challenge(request, name)
    given = {"name": entrant, "method": method, "contact": contact, "human_data": human_data}
    given |= {"track": track, "terms": terms}
    try:
        with server_of(request).database.write() as transaction:
            made, keys = host.register(transaction, name, **given, tell_host=server_of(request).tells_host)
    except ChallengeError as problem:  # what was written so far stays in the form
        return page("register.html", problem.status, challenge=found, limits=LIMITS, given=given, message=str(problem))
    url = str(request.base_url).rstrip("/")
    key, example = keys and keys.test, example_of(found)
    return page("keys.html", 201, challenge=found, entrant=made, keys=keys, url=url, key=key, example=example)


@router.get("/keys")
def change_of_key(request: Request) -> HTMLResponse:
    """Where entrants change a key that others may have seen."""
    return page("rotate.html", message="", key="")


@router.post("/keys")
def change_key(request: Request, key: Annotated[str, Form()] = "") -> HTMLResponse:
    """The new key is on the answer and nowhere else."""
    server = server_of(request)
    try:
        with server.guard.key_from(address_of(request)), server.database.write() as transaction:
            entrant, made = host.rotate_key(transaction, key.strip())
    except ChallengeError as problem:
        return page("rotate.html", problem.status, message=str(problem), key="")
    server.look_again()
    return page("rotate.html", 201, message="", key=made, entrant=entrant)


class Placed(NamedTuple):
    """A line with its places as people write them."""

    place: str
    rating_place: str
    line: Line


def ranked(lines: list[Line]) -> list[Placed]:
    """Lines that are tied share a place, 2–4."""
    shown = [line for line in lines if line.status == "shown"]
    by_mean, by_rating = Counter(line.rank for line in shown), Counter(line.rating_rank for line in shown)

    def written(place: int | None, counts: Counter[Any], line: Line) -> str:
        if place is None or line.status != "shown":
            return ""
        last = place + counts[place] - 1
        return f"{place}–{last}" if last > place else str(place)

    return [
        Placed(written(line.rank, by_mean, line), written(line.rating_rank, by_rating, line), line) for line in lines
    ]


def _challenge(request: Request, name: str, track: str = "") -> tuple[dict[str, Any], list[Line]]:
    """What everybody may know of a challenge, and its leaderboard."""
    with server_of(request).database.read() as transaction:
        found = host.published(transaction, name)
        track_of(found, track)
        hidden = embargoed(read_rules(found.rules), time.time())
        about = summary_of(found) | {"rules": public_rules(found), "embargoed": hidden}
        return about, [] if hidden else board(transaction, name, track)


def _games(challenge: dict[str, Any]) -> list[dict[str, Any]]:
    return challenge["rules"]["configurations"]


def example_of(challenge: dict[str, Any]) -> str:
    """An agent that can enter: the usual partner of the first game that has one, else whom everybody rehearses with."""
    first = _games(challenge)[0]
    usual = {offer.game: offer.partner for people in people_of_worlds().values() for offer in people.offers}
    return usual.get(first["game"]) or first["rehearsal"][0]
