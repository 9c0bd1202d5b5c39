"""Pages about challenges: which there are, their rules and leaderboards, how to enter them."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse
from sqlalchemy import select

from coplay.challenge.board import Line
from coplay.challenge.errors import ChallengeError
from coplay.serve.http.api import public_rules, summary_of
from coplay.serve.ledger import host
from coplay.serve.ledger.boards import board
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
def challenge(request: Request, name: str) -> HTMLResponse:
    """Rules and leaderboards of one challenge."""
    found, lines = _challenge(request, name)
    names = [one["name"] for one in _games(found)]
    # Predictions stand beside the games with as many players; those without such games have a board of their own.
    alone = {line.configuration for line in lines if line.configuration.removeprefix("prediction ") not in names}
    boards = {name: ranked([line for line in lines if line.configuration == name]) for name in (*names, *sorted(alone))}
    return page("challenge.html", challenge=found, boards=boards)


@router.get("/challenges/{name}/enter")
def how_to_enter(request: Request, name: str) -> HTMLResponse:
    """Code that plays here when it is pasted."""
    found, _ = _challenge(request, name)
    return page("enter.html", challenge=found, url=str(request.base_url).rstrip("/"), key=None, example=_example(found))


@router.get("/challenges/{name}/register")
def registration(request: Request, name: str) -> HTMLResponse:
    found, _ = _challenge(request, name)
    return page("register.html", challenge=found, limits=host.LIMITS, given={}, message="")


@router.post("/challenges/{name}/register")
def register(
    request: Request,
    name: str,
    entrant: Annotated[str, Form(alias="name")] = "",
    method: Annotated[str, Form()] = "",
    contact: Annotated[str, Form()] = "",
    human_data: Annotated[str, Form()] = "",
) -> HTMLResponse:
    """Enters a challenge; the keys are on the answer and nowhere else."""
    found, _ = _challenge(request, name)
    given = {"name": entrant, "method": method, "contact": contact, "human_data": human_data}
    try:
        with server_of(request).database.write() as transaction:
            made, keys = host.register(transaction, name, **given)
    except ChallengeError as problem:  # what was written so far stays in the form
        return page(
            "register.html", problem.status, challenge=found, limits=host.LIMITS, given=given, message=str(problem)
        )
    url = str(request.base_url).rstrip("/")
    key, example = keys and keys.test, _example(found)
    return page("keys.html", 201, challenge=found, entrant=made, keys=keys, url=url, key=key, example=example)


def ranked(lines: list[Line]) -> list[tuple[str, Line]]:
    """Each line with its place as people write it: lines that are tied share one, 2–4."""
    counts: dict[int, int] = {}
    for line in lines:
        if line.status == "shown":
            counts[line.rank] = counts.get(line.rank, 0) + 1
    places = []
    for line in lines:
        last = line.rank + counts.get(line.rank, 1) - 1
        place = f"{line.rank}–{last}" if last > line.rank else str(line.rank)
        places.append((place if line.status == "shown" else "", line))
    return places


def _challenge(request: Request, name: str) -> tuple[dict[str, Any], list[Line]]:
    """What everybody may know of a challenge, and its leaderboard."""
    with server_of(request).database.read() as transaction:
        found = host.published(transaction, name)
        return summary_of(found) | {"rules": public_rules(found)}, board(transaction, name)


def _games(challenge: dict[str, Any]) -> list[dict[str, Any]]:
    return challenge["rules"]["configurations"]


def _example(challenge: dict[str, Any]) -> str:
    """An agent that can enter: the usual partner of the first game that has one, else whom everybody rehearses with."""
    first = _games(challenge)[0]
    usual = {offer.game: offer.partner for people in people_of_worlds().values() for offer in people.offers}
    return usual.get(first["game"]) or first["rehearsal"][0]
