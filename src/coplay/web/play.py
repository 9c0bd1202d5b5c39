"""Sitting down to play: choosing a game and partners, then the page of the table."""

from __future__ import annotations

import json
import re
import time
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from sqlalchemy import select
from sqlalchemy.orm import Session

from coplay.challenge import people
from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import game_of
from coplay.challenge.store.models import Attempt, Consent, Person, Table
from coplay.games.hanabi import Hanabi
from coplay.games.overcooked import Overcooked
from coplay.web import consent
from coplay.web.pages import PageRoute, page, server_of
from coplay.web.partners import GAMES, STEPS, USUAL, as_json, choices, layouts, settings_of
from coplay.web.seat_views import expect

router = APIRouter(route_class=PageRoute)
COOKIE = "coplay_participant"
A_YEAR = 365 * 24 * 3600


@router.get("/play")
def choose(
    request: Request, game: str = "hanabi", players: int = 2, layout: str = "cramped_room", steps: int = 200
) -> HTMLResponse:
    """The form: which game, how many seats, with whom."""
    settings = _checked(game, players, layout, steps)
    kind = GAMES[game]
    found = choices(kind.game, as_json(settings))
    usual = USUAL.get(game, "iggi")
    made = game_of(kind.game, as_json(settings))
    if isinstance(made, Hanabi):
        expect(made)
    number, given = _known(request)
    chosen = _form(game, players, layout, steps)
    kept = kept_until(server_of(request).settings.keep_days)
    return page("play.html", **chosen, found=found, usual=usual, number=number, given=given, kept=kept)


def kept_until(days: int, now: float | None = None) -> str:
    """How long a game begun now is kept, in words."""
    if not days:
        return "until you ask the host to erase them"
    return "until " + time.strftime("%Y-%m-%d", time.gmtime((time.time() if now is None else now) + days * 24 * 3600))


@router.post("/play")
def sit_down(
    request: Request,
    game: Annotated[str, Form()],
    players: Annotated[int, Form()] = 2,
    layout: Annotated[str, Form()] = "cramped_room",
    steps: Annotated[int, Form()] = 200,
    partner: Annotated[list[str] | None, Form()] = None,
    seat: Annotated[int, Form()] = 0,
    agreed: Annotated[str, Form()] = "",
) -> Response:
    """Lays a table. The key to the seat travels behind the #, which browsers send to nobody."""
    settings = _checked(game, players, layout, steps)
    kind, partners = GAMES[game], partner or []
    known = {choice.spec for choice in choices(kind.game, as_json(settings))}
    for spec in partners:
        if spec not in known:
            raise ChallengeError(f"{spec[:80]!r} cannot be chosen here; go back and take one from the list.", 422)
    if server_of(request).engine.draining:
        raise ChallengeError("the server is about to stop and lays no new tables; try again later.", 503)
    with server_of(request).database.write() as transaction:
        person = _participant(transaction, request, agreed == consent.VERSION)
        made = people.new_table(transaction, kind.game, settings, partners, seat, person.id)
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
    }
    if isinstance(game, Overcooked):
        return page("kitchen.html", about=about | {"horizon": game.horizon}, game=game)
    about |= {name: getattr(game, name) for name in ("colors", "ranks", "hand_size", "info_tokens", "life_tokens")}
    about["copies"] = [mask.bit_count() for mask in game.copy_masks]
    return page("table.html", about=about, game=game)


@router.get("/play/{attempt}/replay")
def replay_of(request: Request, attempt: str) -> Response:
    """To the replay of a person's game."""
    with server_of(request).database.read() as transaction:
        _, row = table_of(transaction, attempt)
    return RedirectResponse(f"/replay/{row.id}", 303)


def table_of(transaction: Session, attempt: str) -> tuple[Attempt, Table]:
    """A person's table: the one that is played, or was played last."""
    found = transaction.get(Attempt, attempt)
    if found is None or found.kind != "person":
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
    others = iter(json.loads(table.partners) if partners is None else partners)
    return game, _told_apart([own if seat in mine else next(others) for seat in range(game.players)])


def _told_apart(names: list[str]) -> list[str]:
    """Those of the same name are numbered: you, piers 1, piers 2."""
    return [f"{name} {names[:at].count(name) + 1}" if names.count(name) > 1 else name for at, name in enumerate(names)]


def _checked(game: str, players: int, layout: str, steps: int) -> dict[str, Any]:
    if game not in GAMES:
        raise ChallengeError(f"{game[:40]!r} cannot be played here; choose one of {', '.join(GAMES)}.", 422)
    if players not in GAMES[game].seats:
        seats = " or ".join(map(str, GAMES[game].seats))
        raise ChallengeError(f"{players} players: {game} has {seats} seats here.", 422)
    if layout not in layouts() or steps not in STEPS:
        kitchens = f"{', '.join(layouts())}, for {' or '.join(map(str, STEPS))} steps"
        raise ChallengeError(f"there is no such kitchen; choose one of {kitchens}.", 422)
    return settings_of(game, players, layout, steps)


def _form(game: str, players: int, layout: str, steps: int) -> dict[str, Any]:
    """What the form offers and what is chosen in it."""
    chosen = {"game": game, "players": players, "layout": layout, "steps": steps}
    return chosen | {"games": GAMES, "layouts": layouts(), "lengths": STEPS, "consent": consent}


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
