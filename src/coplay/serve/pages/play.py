"""Sitting down to play: choosing a game and partners, then the page of the table."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.datastructures import FormData

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import game_of
from coplay.faces import faces_of
from coplay.games import family
from coplay.serve.engine.tables import idle_action
from coplay.serve.http.hello import action_names
from coplay.serve.http.workers import STARTER
from coplay.serve.ledger import people
from coplay.serve.pages import consent
from coplay.serve.pages.games import Seating, as_json, choices, chosen_settings, seatings
from coplay.serve.pages.pages import PageRoute, page, server_of
from coplay.serve.pages.participants import kept_until, known, participant, remember
from coplay.serve.pages.seat_views import expect
from coplay.serve.pages.sitting import check_watchable, game_at, names_for, people_at, table_of
from coplay.serve.pages.studies import way_back
from coplay.serve.store.models import Attempt, Table
from coplay.serve.store.places import Customs
from coplay.sides import per_side, sides_of

router = APIRouter(route_class=PageRoute)
ABSENT = (120, 60, 300, 30, 0)  # seconds without a sign of somebody, when a substitute plays on; 0: never
PACES = (0, 2, 4, 6)  # steps a second; 0: every step waits for everybody
PERSON = "person"  # in the form: a seat for somebody who is invited


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
    number, given = known(request)
    return page(
        "play.html",
        offered=offered,
        chosen=key,
        offer=seating.offer,
        settings=settings,
        places=_places(game),
        seats=_seat_names(game, seating.offer.first_seat),
        paces=PACES if idle_action(game) is not None else PACES[:1],
        absent=ABSENT,
        person=PERSON,
        found=choices(seating.offer.game, as_json(settings), seating.partners),
        consent=consent,
        number=number,
        given=given,
        kept=kept_until(server_of(request).settings.keep_days),
    )


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
    listed = {choice.spec for choice in choices(game, as_json(settings), seating.partners)}
    for spec in partners:
        if spec not in listed and spec != PERSON:
            raise ChallengeError(f"{spec[:80]!r} cannot be chosen here; go back and take one from the list.", 422)
    seat = str(form.get("seat", "0"))
    if not seat.isdecimal() or len(seat) > 3:
        raise ChallengeError(f"seat = {seat[:20]!r}: give a number.", 422)
    if server_of(request).engine.draining:
        raise ChallengeError("the server is about to stop and lays no new tables; try again later.", 503)
    with server_of(request).database.write() as transaction:
        person = participant(transaction, request, form.get("agreed") == consent.VERSION)
        others = [None if spec == PERSON else spec for spec in _by_seat(made_game, partners, int(seat))]
        customs = _customs(form, listed) if None in others else None
        if customs is not None and STARTER in os.environ and not server_of(request).settings.only_people:
            text = "this server runs as several processes, and people come together in one; ask the host."
            raise ChallengeError(text, 422, "bad_table")
        made = people.new_table(transaction, game, settings, others, int(seat), person.id, customs=customs)
    where = f"/play/{made.attempt}{'' if customs is None else f'?seat={made.seat}'}#{made.key}"
    return remember(request, RedirectResponse(where, 303), person.id)


def _customs(form: FormData, listed: set[str]) -> Customs:
    """How several people play together, as the form has it."""
    absent, pace, substitute = (str(form.get(name, "")) for name in ("absent", "pace", "substitute"))
    for name, given, values in (("absent", absent, ABSENT), ("pace", pace, PACES)):
        if given and given not in map(str, values):
            raise ChallengeError(f"{name} = {given[:20]!r}: choose one of {', '.join(map(str, values))}.", 422)
    if substitute and substitute not in listed:
        raise ChallengeError(f"{substitute[:80]!r} cannot be chosen here; go back and take one from the list.", 422)
    return Customs(int(absent or ABSENT[0]), int(pace or PACES[0]), substitute)


@router.get("/play/{attempt}")
def at_the_table(request: Request, attempt: str, seat: int | None = None) -> HTMLResponse:
    """The page of a table. It shows nothing of the game: that comes over the wire, to whoever has the seat's key."""
    with server_of(request).database.read() as transaction:
        found, row = table_of(transaction, attempt)
    people_here = people_at(row)
    seat = people_here[0] if seat is None else seat
    if seat not in people_here:
        raise ChallengeError(f"nobody is invited to seat {seat} of this table.", 404, "unknown")
    return _table_page(found, row, seat, {"study": way_back(server_of(request), found)})


@router.get("/play/{attempt}/watch")
def watch(request: Request, attempt: str) -> HTMLResponse:
    """The same page for spectators, who are told over the wire what everybody at the table may know."""
    with server_of(request).database.read() as transaction:
        found, row = table_of(transaction, attempt)
    check_watchable(game_at(found, row))
    return _table_page(found, row, None, {"watch": True, "study": None})


def _table_page(found: Attempt, row: Table, seat: int | None, more: dict[str, Any]) -> HTMLResponse:
    """The page of a seat, or of spectators, who sit behind seat 0."""
    game, customs = game_at(found, row), Customs.read(found.customs)
    about: dict[str, Any] = {
        "attempt": found.id,
        "seat": seat or 0,
        "names": names_for(game, found, row, seat),
        "players": game.players,
        "replay": f"/play/{found.id}/replay",
        "together": None if customs is None else customs._asdict(),
        "watch": False,
    } | more
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


def _chosen(offered: dict[str, Seating], given: Mapping[str, Any]) -> tuple[str, Seating, dict[str, Any]]:
    """Which game a form names, and its settings."""
    key = str(given.get("game", "") or next(iter(offered)))
    if key not in offered:
        raise ChallengeError(f"there is no game {key[:40]!r} here; choose from {', '.join(offered)}.", 422)
    return key, offered[key], chosen_settings(offered[key], given)
