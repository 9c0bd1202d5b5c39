"""The space of games that a key opens, for async code."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from coplay_client.batch import Batch, Configuration, History, Turn
from coplay_client.requests import request
from coplay_client.space import EvaluationSpace


class AsyncEvaluationSpace:
    """As `EvaluationSpace`, with `async for batch in space: await batch.act(actions)`."""

    def __init__(self, submission_key: str, url: str | None = None, **settings: Any) -> None:
        same = EvaluationSpace(submission_key, url, **settings)  # reads and checks the settings; it does not connect
        self.url, self._key, self._ssl = same.url, same._key, same._ssl
        self._play, self._link = same._play, same._link

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
                self._link.progress.end()
                return
            else:
                await self._link.receive()

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
        await self._link.close()

    async def _act(self, turns: Sequence[Turn], actions: list[int]) -> None:
        await self._link.send(self._play.act(turns, actions))
