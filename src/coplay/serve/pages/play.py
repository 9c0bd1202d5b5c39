"""Sitting down to play: choosing a game and partners, then the page of the table."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session
from starlette.datastructures import FormData

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import game_of
from coplay.faces import faces_of
from coplay.games import family
from coplay.serve.http.hello import action_names
from coplay.serve.ledger import people
from coplay.serve.pages import consent
from coplay.serve.pages.games import Seating, as_json, choices, chosen_settings, seatings
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.pages.seat_views import expect
from coplay.serve.pages.studies import way_back
from coplay.serve.store.models import Attempt, Consent, Person, Table
from coplay.sides import per_side, sides_of

router = APIRouter(route_class=PageRoute)
COOKIE = "coplay_participant"
A_YEAR = 365 * 24 * 3600


@router.get("/play")
def choose(request: Request) -> HTMLResponse:
    """The form: which game, how many seats, with whom."""
    with server_of(request).database.read() as transaction:
        offered = seatings(transaction)
    key, seating, settings = _chosen(offered, request.query_params)
    game = game_of(seating.offer.game, as_json(settings))
    face = faces_of(game).people
    if face is not None and face.looks_back:
        expect(game)
    number, given = _known(request)
    return page(
        "play.html",
        offered=offered,
        chosen=key,
        offer=seating.offer,
        settings=settings,
        places=_places(game),
        seats=_seat_names(game, seating.offer.first_seat),
        found=choices(seating.offer.game, as_json(settings), seating.partners),
        consent=consent,
        number=number,
        given=given,
        kept=kept_until(server_of(request).settings.keep_days),
    )


def kept_until(days: int, now: float | None = None) -> str:
    """How long a game begun now is kept, in words."""
    if not days:
        return "until you ask the host to erase them"
    return "until " + time.strftime("%Y-%m-%d", time.gmtime((time.time() if now is None else now) + days * 24 * 3600))


async def sent_form(request: Request) -> FormData:
    """Which fields a form has depends on the game."""
    return await request.form()


@router.post("/play")
def sit_down(request: Request, form: Annotated[FormData, Depends(sent_form)]) -> Response:
    """Lays a table. The key to the seat travels behind the #, which browsers send to nobody."""
    with server_of(request).database.read() as transaction:
        _, seating, settings = _chosen(seatings(transaction), form)
    game, partners = seating.offer.game, [str(spec) for spec in form.getlist("partner")]
    made_game = game_of(game, as_json(settings))
    known = {choice.spec for choice in choices(game, as_json(settings), seating.partners)}
    for spec in partners:
        if spec not in known:
            raise ChallengeError(f"{spec[:80]!r} cannot be chosen here; go back and take one from the list.", 422)
    seat = str(form.get("seat", "0"))
    if not seat.isdecimal() or len(seat) > 3:
        raise ChallengeError(f"seat = {seat[:20]!r}: give a number.", 422)
    if server_of(request).engine.draining:
        raise ChallengeError("the server is about to stop and lays no new tables; try again later.", 503)
    with server_of(request).database.write() as transaction:
        person = _participant(transaction, request, form.get("agreed") == consent.VERSION)
        made = people.new_table(
            transaction, game, settings, _by_seat(made_game, partners, int(seat)), int(seat), person.id
        )
    answer = RedirectResponse(f"/play/{made.attempt}#{made.key}", 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, person.id, max_age=A_YEAR, path="/play", httponly=True, samesite="lax", secure=secure)
    return answer


@router.get("/play/{attempt}")
def at_the_table(request: Request, attempt: str) -> HTMLResponse:
    """The page of a table. It shows nothing of the game: that comes over the wire, to whoever has the seat's key."""
    with server_of(request).database.read() as transaction:
        found, row = table_of(transaction, attempt)
    game, names = seated(found, row)
    about: dict[str, Any] = {
        "attempt": attempt,
        "seat": int(row.seats),
        "names": names,
        "players": game.players,
        "replay": f"/play/{attempt}/replay",
        "study": way_back(server_of(request), found),
    }
    face = faces_of(game).people
    if face is None:
        about["actions"] = action_names(game)
        return page("plain_table.html", about=about, title=game.name, assets="/static/plain_table")
    world = family(game)
    return page(f"{world}/table.html", about=about | face.about(game), game=game, assets=f"/static/{world}/table")


@router.get("/play/{attempt}/replay")
def replay_of(request: Request, attempt: str) -> Response:
    """To the replay of a person's game."""
    with server_of(request).database.read() as transaction:
        _, row = table_of(transaction, attempt)
    return RedirectResponse(f"/replay/{row.id}", 303)


def _places(game: Any) -> list[str]:
    """What the form calls those whom it asks for: of two sides the mates first, then the opponents."""
    if sides_of(game) == 2:
        return _numbered("Mate", per_side(game) - 1) + _numbered("Opponent", per_side(game))
    return _numbered("Partner", game.players - 1)


def _numbered(word: str, count: int) -> list[str]:
    return [word] if count == 1 else [f"{word} {number + 1}" for number in range(count)]


def _seat_names(game: Any, first: str) -> list[str]:
    """The seats as they are offered."""
    if sides_of(game) == 2:
        return [f"{seat}, {('first', 'second')[seat % 2]} side" for seat in range(game.players)]
    return [f"{seat}, {first}" if seat == 0 and first else str(seat) for seat in range(game.players)]


def _by_seat(game: Any, partners: list[str], seat: int) -> list[str]:
    """Partners in the order of the form -> in the order of the other seats."""
    if sides_of(game) == 1 or len(partners) != game.players - 1:  # the wrong number is refused later
        return partners
    mates, opponents = iter(partners[: per_side(game) - 1]), iter(partners[per_side(game) - 1 :])
    return [next(mates if other % 2 == seat % 2 else opponents) for other in range(game.players) if other != seat]


def table_of(transaction: Session, attempt: str) -> tuple[Attempt, Table]:
    """A person's table: the one that is played, or was played last."""
    found = transaction.get(Attempt, attempt)
    if found is None or found.kind not in ("person", "study"):
        raise ChallengeError("there is no such table; lay a new one at /play.", 404, "unknown")
    query = select(Table).where(Table.attempt_id == attempt).order_by(Table.number.desc()).limit(1)
    row = transaction.scalar(query)
    assert row is not None  # every attempt has one from the start
    return found, row


def seated(
    attempt: Attempt, table: Table, own: str = "you", partners: list[str] | None = None
) -> tuple[Any, list[str]]:
    """The game of a table and who sits where: `own` in the seats of the entrant or the person, partners in the rest."""
    one = json.loads(attempt.configurations)[table.configuration]
    game = game_of(one["game"], as_json(one["settings"]))
    mine = set(map(int, table.seats.split(",")))
    specs = json.loads(table.partners)
    if attempt.kind == "study":  # who they are is told after the study, or never
        partners = ["partner"] * len(specs)
    others = iter(specs if partners is None else partners)
    return game, _told_apart([own if seat in mine else next(others) for seat in range(game.players)])


def _told_apart(names: list[str]) -> list[str]:
    """Those of the same name are numbered: you, piers 1, piers 2."""
    return [f"{name} {names[:at].count(name) + 1}" if names.count(name) > 1 else name for at, name in enumerate(names)]


def _chosen(offered: dict[str, Seating], given: Mapping[str, Any]) -> tuple[str, Seating, dict[str, Any]]:
    """Which game a form names, and its settings."""
    key = str(given.get("game", "") or next(iter(offered)))
    if key not in offered:
        raise ChallengeError(f"there is no game {key[:40]!r} here; choose from {', '.join(offered)}.", 422)
    return key, offered[key], chosen_settings(offered[key], given)


def _person(transaction: Session, request: Request) -> Person | None:
    """Who played in this browser before."""
    given = request.cookies.get(COOKIE, "")
    return transaction.get(Person, given) if re.fullmatch(r"[0-9a-f]{16}", given) else None


def _known(request: Request) -> tuple[str, bool]:
    """The number of this browser's person, if it has one, and whether they agreed to the present text."""
    with server_of(request).database.read() as transaction:
        person = _person(transaction, request)
        return (person.id, _answered(transaction, person.id) is True) if person else ("", False)


def _answered(transaction: Session, person: str) -> bool | None:
    """A person's answer to the present text; None if there is none."""
    query = select(Consent.given).where(Consent.person_id == person, Consent.version == consent.VERSION)
    return transaction.scalar(query)


def _participant(transaction: Session, request: Request, given: bool) -> Person:
    """Whoever changes their answer goes on under a new number: all games of a number have one answer."""
    person = _person(transaction, request)
    if person is not None and _answered(transaction, person.id) is given:
        return person
    person = people.new_person(transaction)
    people.answer_consent(transaction, person.id, consent.VERSION, given)
    return person
