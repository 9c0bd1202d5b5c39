"""Hands people's requests and WebSockets on to the process that has their tables: see `apart.py`.

Nothing of what they ask for is worked out here: games that nobody has played are traced and compiled there, and pages
with games are made there. So a visitor costs those who play rated games in this process some bytes that pass through.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import httpx
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect
from websockets.asyncio.client import unix_connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from coplay.challenge.errors import ChallengeError
from coplay.serve.engine.moves import error

PAGES = ("play", "replay", "studies")  # the first parts of the addresses of people's pages
PATIENCE = 600.0  # seconds: it may have to start, or to compile what a page shows
AT_ONCE = 64  # requests; the others wait here
AWAY = "the tables are being set up again; try again in a moment."
FORWARDED = ("x-forwarded-for", "x-forwarded-proto")
OF_A_CONNECTION = ("connection", "keep-alive", "transfer-encoding", "upgrade")  # not to be passed on
NOT_ASKED, NOT_TOLD = (*OF_A_CONNECTION, *FORWARDED), (*OF_A_CONNECTION, "date", "server")
ABNORMAL, GOING_AWAY, AGAIN = 1006, 1001, 1012  # how WebSockets end; the first is never sent


class People:
    """The way to people's tables."""

    def __init__(self, path: str) -> None:
        self._path = path
        limits = httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=0)
        wire = httpx.AsyncHTTPTransport(uds=path, limits=limits)
        self._client = httpx.AsyncClient(transport=wire, timeout=PATIENCE)

    async def close(self) -> None:
        await self._client.aclose()

    def have(self, path: str) -> bool:
        """Is this one of their pages?"""
        return path.split("/", 2)[1:2] in ([page] for page in PAGES)

    async def answer(self, request: Request) -> Response:
        """What they answer."""
        who = [(name.encode(), value.encode()) for name, value in _who(request)]
        given = [(name, value) for name, value in request.headers.raw if name.decode() not in NOT_ASKED]
        where = httpx.URL("http://people", raw_path=_target(request))  # byte for byte as it was asked for
        asked = self._client.build_request(request.method, where, headers=[*given, *who], content=await request.body())
        try:
            told = await self._client.send(asked)
        except httpx.HTTPError as problem:  # it has died, and starts again
            raise ChallengeError(AWAY, 503, "away", retry_after=2) from problem
        response = Response(told.content, told.status_code)
        response.raw_headers = [
            (name.lower(), value) for name, value in told.headers.raw if name.decode().lower() not in NOT_TOLD
        ]
        return response

    async def talk(self, websocket: WebSocket, hello: dict[str, Any], key: str) -> None:
        """Everything that is said on a WebSocket, after its hello."""
        where, who = "ws://people/v1/socket", _who(websocket)
        try:
            async with unix_connect(
                self._path, where, additional_headers=who, max_size=None, open_timeout=PATIENCE, ping_timeout=None
            ) as theirs:
                await theirs.send(json.dumps(hello | {"key": key}))
                await _both_ways(websocket, theirs)
        except (OSError, WebSocketException, TimeoutError):
            await _end(websocket, AGAIN, "come again", error(503, "away", AWAY))


async def _both_ways(websocket: WebSocket, theirs: Any) -> None:
    """Until one side has gone; then the other is told."""

    async def up() -> None:
        with contextlib.suppress(ConnectionClosed):
            while True:
                frame = await websocket.receive()
                if frame["type"] == "websocket.disconnect":
                    raise WebSocketDisconnect(frame.get("code", GOING_AWAY))
                text = frame.get("text")
                await theirs.send(frame.get("bytes", b"") if text is None else text)

    async def down() -> None:
        async for message in theirs:
            await websocket.send_text(message)

    tasks = [asyncio.create_task(up()), asyncio.create_task(down())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        left = tasks[0].done() and isinstance(tasks[0].exception(), WebSocketDisconnect)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    if not left:
        code = theirs.close_code or ABNORMAL
        message = {"type": "closing", "reason": AWAY, "retry_after": 1} if code == ABNORMAL else None
        await _end(websocket, AGAIN if code == ABNORMAL else code, theirs.close_reason or "come again", message)


async def _end(websocket: WebSocket, code: int, why: str, message: dict[str, Any] | None) -> None:
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed already
        if message is not None:
            await websocket.send_text(json.dumps(message))
        await websocket.close(code, why)


def _target(request: Request) -> bytes:
    query: bytes = request.scope["query_string"]
    return request.scope["raw_path"] + (b"?" + query if query else b"")


def _who(connection: HTTPConnection) -> list[tuple[str, str]]:
    """Who asks, and how: limits are counted by address there too."""
    scheme = connection.url.scheme.replace("ws", "http")
    return list(zip(FORWARDED, (connection.client.host if connection.client else "?", scheme), strict=True))
