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
from coplay.serve.pages.play import seated, table_of
from coplay.serve.pages.seat_views import seat_views
from coplay.serve.store.seats import logs

router = APIRouter()


@router.get("/play/{attempt}/turns")
def turns(request: Request, attempt: str, first: Annotated[int, Query(ge=0)] = 0) -> JSONResponse:
    """The views of the seat whose key is sent, and of no other, from turn `first` to now, with the moves in words."""
    holder = holder_of(request)
    with server_of(request).database.read() as transaction:
        if holder.key.kind != "seat" or holder.key.attempt_id != attempt:
            raise ChallengeError("this key is not for a seat at this table.", 403, "wrong_key")
        found, row = table_of(transaction, attempt)
        record = logs(transaction, [row.id])[row.id]
    game, names = seated(found, row)
    face = faces_of(game).people
    if face is None or not face.looks_back:
        raise ChallengeError(f"{game.name} has no turns to look back at.", 404, "unknown")
    seen = seat_views(game, row.seed, [unpack(text) for text in record], int(row.seats))
    shown = [face.turn(seen[number], names) | {"turn": number} for number in range(min(first, len(seen)), len(seen))]
    return JSONResponse({"table": row.number, "turns": shown}, headers={"Cache-Control": "no-store"})


@router.get("/play/{attempt}/pictures")
def pictures(request: Request, attempt: str) -> JSONResponse:
    """What the page of a table draws with."""
    with server_of(request).database.read() as transaction:
        found, row = table_of(transaction, attempt)
    game, names = seated(found, row)
    face = faces_of(game).people
    drawn = None if face is None else face.pictures(game, names)
    if drawn is None:
        raise ChallengeError("this table has no pictures.", 404, "unknown")
    return JSONResponse(drawn, headers={"Cache-Control": "private, max-age=3600"})
