"""A connection that is made again when it breaks. The sync and the async space both play over it."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, WebSocketException

from coplay_client.errors import ConnectionLost, Refused, Superseded
from coplay_client.play import Play
from coplay_client.progress import Progress
from coplay_client.requests import socket_address

BROKEN = (OSError, WebSocketException, EOFError)
SUPERSEDED = 4409  # the server's close code
FIRST, LATER = 10.0, 300.0  # seconds without a connection: an address that never answered is most likely wrong


class Link:
    """What is sent and received reaches `play`; used in one event loop."""

    def __init__(self, url: str, key: str, play: Play, progress: Progress, patience: float | None, ssl: Any) -> None:
        self.url, self.key, self.play, self.progress = url, key, play, progress
        self.patience, self.ssl = patience, ssl
        self._wire: ClientConnection | None = None
        self._stack = contextlib.AsyncExitStack()

    async def send(self, messages: list[str]) -> None:
        """Sends; what a break swallows goes out again on the next connection."""
        wire = await self.connected()
        try:
            for message in messages:
                await wire.send(message)
        except BROKEN as error:
            await self._broke(error)

    async def receive(self) -> None:
        """Takes one message in."""
        wire = await self.connected()
        try:
            text = await wire.recv()
        except BROKEN as error:
            await self._broke(error)
            return
        self.play.receive(text)
        self.progress.tell(self.play.played, self.play.total)
        if self.play.retry_after is not None:
            await self._pause()

    async def close(self) -> None:
        self._wire = None
        await self._stack.aclose()

    async def connected(self) -> ClientConnection:
        """The connection; made again, with growing pauses, as long as the patience lasts."""
        if self._wire is not None:
            return self._wire
        began, problem = time.monotonic(), Exception()
        patience = (LATER if self.play.welcome else FIRST) if self.patience is None else self.patience
        for tries in range(10**6):
            try:
                self._wire = await self._connect()
                return self._wire
            except InvalidHandshake as error:
                problem = error
                if said := _refusal(error):
                    raise said from None
            except (*BROKEN, TimeoutError) as error:
                problem = error
            except Refused as error:
                problem = error
                if error.status != 503:  # else it is busy, and will not be for long
                    raise
            await self._stack.aclose()
            if time.monotonic() - began > patience:
                break
            await asyncio.sleep(_wait_before(tries))
        what = "Nothing is lost: run again and the attempt goes on."
        if not self.play.welcome:
            what = "Is the address right, and does the server run?"
        why = str(problem) or type(problem).__name__
        raise ConnectionLost(f"{self.url} could not be reached for {patience:g} seconds ({why}). {what}") from problem

    async def _connect(self) -> ClientConnection:
        opening = connect(
            socket_address(self.url),
            additional_headers={"Authorization": f"Bearer {self.key}"},
            max_size=None,
            ssl=self.ssl,
            open_timeout=30,
            ping_timeout=60,
        )
        wire = await self._stack.enter_async_context(opening)
        await wire.send(self.play.hello_text)
        self.play.greeted(await asyncio.wait_for(wire.recv(), 120))
        for message in self.play.again():
            await wire.send(message)
        return wire

    async def _broke(self, error: Exception) -> None:
        """A connection that was closed because another has taken over must not take over in turn."""
        if isinstance(error, ConnectionClosed) and error.rcvd is not None and error.rcvd.code == SUPERSEDED:
            raise Superseded("another connection with this key has taken the games over.") from None
        await self._pause()

    async def _pause(self) -> None:
        await self.close()
        await asyncio.sleep(self.play.retry_after or 0.0)
        self.play.retry_after = None


def _refusal(error: InvalidHandshake) -> Refused | None:
    """The server's no, if that is what broke the handshake; a server that starts or restarts may yet say yes."""
    if not isinstance(error, InvalidStatus) or error.response.status_code in (429, 500, 502, 503, 504):
        return None
    status = error.response.status_code
    try:
        said = json.loads(error.response.body or b"")
        return Refused(said["message"], status, said["code"])
    except (ValueError, KeyError, TypeError):
        return Refused(f"the server answered {status}; is the address right?", status)


def _wait_before(tries: int) -> float:
    """Seconds before trying again: quickly at first, every five seconds later."""
    return min(5.0, 0.2 * 2**tries) if tries < 10 else 5.0
