"""The space of games that a key opens, for async code."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Sequence
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidHandshake

from coplay_client.batch import Batch, Configuration, History, Turn
from coplay_client.errors import ConnectionLost, Refused
from coplay_client.requests import request, socket_address
from coplay_client.space import BROKEN, EvaluationSpace
from coplay_client.wire import raise_if_superseded, refusal, wait_before


class AsyncEvaluationSpace:
    """As `EvaluationSpace`, with `async for batch in space: await batch.act(actions)`."""

    def __init__(self, submission_key: str, url: str | None = None, **settings: Any) -> None:
        same = EvaluationSpace(submission_key, url, **settings)  # reads and checks the settings; it does not connect
        self.url, self._play, self._progress = same.url, same._play, same._progress
        self._key, self._patience, self._ssl = same._key, same._patience, same._ssl
        self._wire: ClientConnection | None = None
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> AsyncEvaluationSpace:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def __aiter__(self) -> AsyncIterator[Batch]:
        """Batches of games that wait, until all are over and scored."""
        while True:
            turns = self._play.take()
            if turns:
                yield Batch(turns, self._act)
            elif self._play.done:
                self._progress.end()
                return
            else:
                await self._receive()

    async def results(self) -> list[dict[str, Any]]:
        """The results of the attempt, one per configuration that is over."""
        info = await asyncio.to_thread(request, "GET", f"{self.url}/v1/me", self._key, verify=self._ssl or True)
        attempt = self._play.welcome.get("attempt")
        return next((one["results"] for one in info["attempts"] if attempt in (None, one["id"])), [])

    @property
    def configurations(self) -> dict[str, Configuration]:
        """The games of the challenge; known after the first batch."""
        return self._play.configurations

    @property
    def histories(self) -> dict[int, History]:
        return self._play.histories

    @property
    def over(self) -> dict[int, tuple[str, float | None]]:
        return self._play.over

    async def close(self) -> None:
        self._wire = None
        await self._stack.aclose()

    async def _act(self, turns: Sequence[Turn], actions: list[int]) -> None:
        await self._send(self._play.act(turns, actions))

    async def _send(self, messages: list[str]) -> None:
        wire = await self._connected()
        try:
            for message in messages:
                await wire.send(message)
        except BROKEN as error:
            raise_if_superseded(error)
            await self._break()

    async def _receive(self) -> None:
        wire = await self._connected()
        try:
            text = await wire.recv()
        except BROKEN as error:
            raise_if_superseded(error)
            await self._break()
            return
        self._play.receive(text)
        self._progress.tell(self._play.played, self._play.total)
        if self._play.retry_after is not None:
            await self._break()

    async def _break(self) -> None:
        await self.close()
        await asyncio.sleep(self._play.retry_after or 0.0)
        self._play.retry_after = None

    async def _connected(self) -> ClientConnection:
        if self._wire is not None:
            return self._wire
        began, problem = time.monotonic(), Exception()
        for tries in range(10**6):
            try:
                headers = {"Authorization": f"Bearer {self._key}"}
                opening = connect(socket_address(self.url), additional_headers=headers, max_size=None, ssl=self._ssl)
                wire = await self._stack.enter_async_context(opening)
                await wire.send(self._play.hello_text)
                self._play.greeted(await asyncio.wait_for(wire.recv(), 120))
                for message in self._play.again():
                    await wire.send(message)
                self._wire = wire
                return wire
            except InvalidHandshake as error:
                problem = error
                if said := refusal(error):
                    raise said from None
            except (*BROKEN, TimeoutError) as error:
                problem = error
            except Refused as error:
                problem = error
                if error.status != 503:  # else it is busy, and will not be for long
                    raise
            await self._stack.aclose()
            if time.monotonic() - began > self._patience:
                break
            await asyncio.sleep(wait_before(tries))
        raise ConnectionLost(
            f"{self.url} could not be reached for {self._patience:g} seconds ({problem}). "
            "Nothing is lost: run again and the attempt goes on."
        ) from problem
