"""The three addresses, added to the application of a challenge server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request, WebSocket
from fastapi.responses import JSONResponse
from starlette.websockets import WebSocketDisconnect

from coplay.adapters.ah2ac2_server import games
from coplay.adapters.ah2ac2_server.connection import Play
from coplay.adapters.ah2ac2_server.games import Chosen
from coplay.challenge.errors import ChallengeError
from coplay.serve.http.guard import address_of
from coplay.serve.ledger.results import finish

if TYPE_CHECKING:
    from coplay.serve.http.server import Server


def install(app: FastAPI) -> None:
    """Adds the addresses of the AH2AC2 evaluation server."""

    @app.get("/evaluation-info/{key}", include_in_schema=False)
    def evaluation_info(request: Request, key: str) -> JSONResponse:
        try:
            server = request.app.state.server
            with server.guard.key_from(address_of(request)):
                return JSONResponse(games.standing(server.database, key))
        except ChallengeError as problem:
            # The client looks at no status and reads any object as "nothing played yet"; of a text where it expects a
            # list it complains, and quotes it.
            text = str(problem)
            return JSONResponse({"code": problem.code, "message": text, "all_envs": text}, problem.status)

    @app.websocket("/play-next")
    async def play_next(websocket: WebSocket) -> None:
        key = websocket.query_params.get("submission_key", "")
        server = websocket.app.state.server
        await _play(server, websocket, lambda: games.next_game(server.database, key))

    @app.websocket("/play-random-agent")
    async def play_random_agent(websocket: WebSocket) -> None:
        given = websocket.query_params
        key, players = given.get("test_submission_key", ""), given.get("num_players", "")
        positions = given.getlist("candidate_positions")
        server = websocket.app.state.server
        await _play(server, websocket, lambda: games.random_game(server.database, key, players, positions))


async def _play(server: Server, websocket: WebSocket, choose: Callable[[], Chosen]) -> None:
    """One connection. Its first message is thrown away by the client, so that even refusals come second."""
    await websocket.accept()
    try:
        await websocket.send_text(json.dumps({"status": "connected"}))
        try:
            who = address_of(websocket)
            if wait := server.guard.wait("request", who):
                raise ChallengeError(f"too many connections; try again in {wait:.0f} s.", 429, "too_many")
            with server.guard.key_from(who):
                chosen = await asyncio.to_thread(choose)
            play = Play(server, websocket, chosen)
            try:
                await play.run()
            finally:
                if chosen.kind == games.RANDOM and not play.is_over:  # nobody can come back to it
                    await asyncio.to_thread(finish, server.database, chosen.attempt, True)
        except ChallengeError as problem:
            await websocket.send_text(json.dumps({"error_details": str(problem)}))
        await websocket.close()
    except (WebSocketDisconnect, RuntimeError):
        pass  # the client has gone; a game of an attempt waits for its next connection
