"""What the page of a table asks for besides the game itself: the turns so far, and what it draws with."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from coplay.challenge.errors import ChallengeError
from coplay.challenge.log import unpack
from coplay.faces import faces_of
from coplay.serve.http.api import holder_of
from coplay.serve.pages.pages import server_of
from coplay.serve.pages.seat_views import seat_views
from coplay.serve.pages.sitting import game_at, names_for, people_at, table_of
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
    views = seat_views(game, row.seed, actions, seat or 0)[first:]
    names = names_for(game, found, row, seat)
    if seat is None:  # from behind seat 0, as everybody may see it
        people = people_at(row)
        shown = [face.turn(face.public(game, view, people), names, reader=False) for view in views]
    else:
        shown = [face.turn(view, names) for view in views]
    if seat is not None and row.status == "done":
        neighbour = seat_views(game, row.seed, actions, (seat + 1) % game.players)[first:]
        shown = [face.revealed(one, face.turn(view, names)) for one, view in zip(shown, neighbour, strict=True)]
    told = [one | {"turn": number} for number, one in enumerate(shown, first)]
    return JSONResponse({"table": row.number, "turns": told}, headers={"Cache-Control": "no-store"})


@router.get("/play/{attempt}/pictures")
def pictures(request: Request, attempt: str, seat: int | None = None) -> JSONResponse:
    """What the page of a table draws with, for the person in `seat`."""
    with server_of(request).database.read() as transaction:
        found, row = table_of(transaction, attempt)
    game = game_at(found, row)
    face = faces_of(game).people
    drawn = None if face is None else face.pictures(game, names_for(game, found, row, seat))
    if drawn is None:
        raise ChallengeError("this table has no pictures.", 404, "unknown")
    return JSONResponse(drawn, headers={"Cache-Control": "private, max-age=3600"})
