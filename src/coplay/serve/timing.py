"""The clock of a server. Whatever a game is charged for and every wait that a client can notice asks it.

Tests bring one that they move by hand, so none of them depends on how busy its machine is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any


class Timing:
    """The clock of the machine."""

    def monotonic(self) -> float:
        """Seconds since some moment; it never goes back."""
        return time.monotonic()

    def now(self) -> float:
        """Seconds since 1970."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def wait_for(self, work: Coroutine[Any, Any, Any], seconds: float) -> Any:
        """What `work` returns; TimeoutError when it takes longer."""
        return await asyncio.wait_for(work, seconds)


SYSTEM = Timing()
