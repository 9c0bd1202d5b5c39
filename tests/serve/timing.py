"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any

from coplay.serve.timing import Timing


class HandMoved(Timing):
    """Time goes on with `advance` only. A server's threads and a test's may use it together."""

    def __init__(self) -> None:
        self.at, self.wrong = 1000.0, 0.0  # `wrong`: by how much the clock on the wall was stepped
        self._lock = threading.Lock()
        self._sleepers: dict[asyncio.Future[None], float] = {}

    def monotonic(self) -> float:
        return self.at

    def now(self) -> float:
        return 1_700_000_000.0 + self.at + self.wrong

    def advance(self, seconds: float) -> None:
        with self._lock:
            self.at += seconds
            due = [sleeper for sleeper, until in self._sleepers.items() if until <= self.at]
            for sleeper in due:
                del self._sleepers[sleeper]
        for sleeper in due:
            sleeper.get_loop().call_soon_threadsafe(_wake, sleeper)

    @property
    def sleeping_until(self) -> list[float]:
        """When those who sleep will go on."""
        with self._lock:
            return sorted(self._sleepers.values())

    async def sleep(self, seconds: float) -> None:
        sleeper = asyncio.get_running_loop().create_future()
        with self._lock:
            until = self.at + seconds
            if seconds > 0:
                self._sleepers[sleeper] = until
            else:
                sleeper.set_result(None)
        try:
            await sleeper
        finally:
            with self._lock:
                self._sleepers.pop(sleeper, None)

    async def wait_for(self, work: Coroutine[Any, Any, Any], seconds: float) -> Any:
        task, alarm = asyncio.ensure_future(work), asyncio.ensure_future(self.sleep(seconds))
        done, _ = await asyncio.wait({task, alarm}, return_when=asyncio.FIRST_COMPLETED)
        if task in done:
            alarm.cancel()
            return task.result()
        task.cancel()
        raise TimeoutError


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)
