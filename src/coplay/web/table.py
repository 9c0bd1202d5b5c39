"""What a person at a Hanabi table has seen: every turn of the game so far, from their seat and no other."""

from __future__ import annotations

import dataclasses
import json
from typing import Annotated, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import JSONResponse

from coplay.challenge import keys
from coplay.challenge.errors import ChallengeError
from coplay.challenge.hall import as_key
from coplay.challenge.live import unpack
from coplay.challenge.store.seats import logs
from coplay.games.hanabi import Hanabi
from coplay.games.hanabi.table import read_view
from coplay.games.hanabi.words import move_text, turn_text
from coplay.web.pages import server_of
from coplay.web.play import seated, table_of

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


def seat_views(game: Hanabi, seed: str, actions: list[int], seat: int) -> list[Any]:
    """The view of one seat before each move and after the last."""
    padded = np.zeros(game.max_steps, np.int32)  # one length for all games, so that one program serves them all
    padded[: len(actions)] = actions
    views = jax.device_get(_views(game, as_key(seed), padded, np.int32(seat)))
    return [jax.tree.map(lambda leaf, at=at: leaf[at], views) for at in range(len(actions) + 1)]


@eqx.filter_jit
def _views(game: Hanabi, seed: Any, actions: Any, seat: Any) -> Any:
    def turn(state: Any, action: Any) -> tuple[Any, Any]:
        after = game.step(state, jnp.full(game.players, action)).state
        return after, game.view(after, seat)

    start = game.reset(jax.random.wrap_key_data(seed))
    later = jax.lax.scan(turn, start, actions)[1]
    return jax.tree.map(lambda one, rest: jnp.concatenate([one[None], rest]), game.view(start, seat), later)


def _turn(number: int, view: Any, names: list[str]) -> dict[str, Any]:
    """One view as plain values, the move that led to it, and whose turn it is, in words."""
    table = read_view(view)
    shown = dataclasses.asdict(dataclasses.replace(table, game=None))  # pyright: ignore[reportArgumentType]
    told = move_text(table, table.last, names) if table.last else ""
    return json.loads(json.dumps(shown | {"turn": number, "told": told, "now": turn_text(table, names)}))
