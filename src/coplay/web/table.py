"""What a person at a Hanabi table has seen: every turn of the game so far, from their seat and no other."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from coplay.challenge import keys
from coplay.challenge.errors import ChallengeError
from coplay.challenge.live import unpack
from coplay.challenge.store.seats import logs
from coplay.games.hanabi import Hanabi
from coplay.games.hanabi.table import read_view
from coplay.games.hanabi.words import move_text, turn_text
from coplay.web.pages import server_of
from coplay.web.play import seated, table_of
from coplay.web.seat_views import seat_views

router = APIRouter()


@router.get("/play/{attempt}/turns")
def turns(request: Request, attempt: str, first: Annotated[int, Query(ge=0)] = 0) -> JSONResponse:
    """The views of the seat whose key is sent, from turn `first` to now, with the moves in words."""
    with server_of(request).database.read() as transaction:
        holder = keys.find(transaction, keys.bearer(request.headers.get("authorization")))
        if holder.key.kind != "seat" or holder.key.attempt_id != attempt:
            raise ChallengeError("this key is not for a seat at this table.", 403, "wrong_key")
        found, row = table_of(transaction, attempt)
        record = logs(transaction, [row.id])[row.id]
    game, names = seated(found, row)
    if not isinstance(game, Hanabi):
        raise ChallengeError("only card games have turns to look back at.", 404, "unknown")
    seen = seat_views(game, row.seed, [unpack(text)[0] for text in record], int(row.seats))
    shown = [_turn(number, seen[number], names) for number in range(min(first, len(seen)), len(seen))]
    return JSONResponse({"table": row.number, "turns": shown}, headers={"Cache-Control": "no-store"})


def _turn(number: int, view: Any, names: list[str]) -> dict[str, Any]:
    """One view as plain values, the move that led to it, and whose turn it is, in words."""
    table = read_view(view)
    shown = dataclasses.asdict(dataclasses.replace(table, game=None))  # pyright: ignore[reportArgumentType]
    told = move_text(table, table.last, names) if table.last else ""
    return json.loads(json.dumps(shown | {"turn": number, "told": told, "now": turn_text(table, names)}))
