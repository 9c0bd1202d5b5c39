"""What the page of a table asks for besides the game itself: the turns so far, and what it draws with."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from coplay.challenge.errors import ChallengeError
from coplay.challenge.log import unpack
from coplay.faces import faces_of
from coplay.serve.http.api import holder_of
from coplay.serve.pages.pages import server_of
from coplay.serve.pages.seat_views import seat_views
from coplay.serve.pages.sitting import game_at, names_for, people_at, table_of
from coplay.serve.store.models import Table
from coplay.serve.store.places import place_of_key
from coplay.serve.store.seats import logs

router = APIRouter()


@router.get("/play/{attempt}/turns")
def turns(request: Request, attempt: str, first: Annotated[int, Query(ge=0)] = 0) -> JSONResponse:
    """The views of the seat whose key is sent, and of no other, from turn `first` to now, with the moves in words; for
    a spectator's key what everybody may know. When the game is over, everybody sees what they had."""
    holder = holder_of(request)
    with server_of(request).database.read() as transaction:
        if holder.key.kind not in ("seat", "watch") or holder.key.attempt_id != attempt:
            raise ChallengeError("this key is not for a seat at this table.", 403, "wrong_key")
        found, row = table_of(transaction, attempt)
        place = place_of_key(transaction, holder.key.id)
        record = logs(transaction, [row.id])[row.id]
    if row.status == "todo" and found.customs is not None:  # nothing is dealt before everybody sits
        return JSONResponse({"table": row.number, "turns": []}, headers={"Cache-Control": "no-store"})
    game = game_at(found, row)
    face = faces_of(game).people
    if face is None or not face.looks_back:
        raise ChallengeError(f"{game.name} has no turns to look back at.", 404, "unknown")
    actions = [unpack(text) for text in record]
    seat = None if place is None else place.seat
    tell = _public_turns if seat is None else partial(_own_turns, seat=seat)
    shown = enumerate(tell(game, face, row, actions, first), min(first, len(actions) + 1))
    told = [one | {"turn": number} for number, one in shown]
    return JSONResponse({"table": row.number, "turns": told}, headers={"Cache-Control": "no-store"})


def _own_turns(
    game: Any, face: Any, row: Table, actions: list[tuple[int, ...]], first: int, seat: int
) -> list[dict[str, Any]]:
    """A seat's turns; of a game that is over with its own cards."""
    names = names_for(game, row, seat)
    mine = [face.turn(view, names) for view in seat_views(game, row.seed, actions, seat)[first:]]
    if row.status != "done":
        return mine
    neighbour = seat_views(game, row.seed, actions, (seat + 1) % game.players)[first:]
    return [face.revealed(one, face.turn(view, names)) for one, view in zip(mine, neighbour, strict=True)]


def _public_turns(game: Any, face: Any, row: Table, actions: list[tuple[int, ...]], first: int) -> list[dict[str, Any]]:
    """What spectators see, from behind seat 0."""
    people, names = people_at(row), names_for(game, row, None)
    views = seat_views(game, row.seed, actions, 0)[first:]
    return [face.turn(face.public(game, view, people), names, reader=False) for view in views]


@router.get("/play/{attempt}/pictures")
def pictures(request: Request, attempt: str, seat: int | None = None) -> JSONResponse:
    """What the page of a table draws with, for the person in `seat`."""
    with server_of(request).database.read() as transaction:
        found, row = table_of(transaction, attempt)
    game = game_at(found, row)
    face = faces_of(game).people
    drawn = None if face is None else face.pictures(game, names_for(game, row, seat))
    if drawn is None:
        raise ChallengeError("this table has no pictures.", 404, "unknown")
    return JSONResponse(drawn, headers={"Cache-Control": "private, max-age=3600"})
