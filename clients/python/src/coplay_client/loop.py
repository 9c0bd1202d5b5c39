"""An event loop in a thread of its own, for ordinary code.

Connections answer the server's pings while the caller computes, and TLS is used from one thread only: two that read and
write at once can block each other for ever.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class Loop:
    """Starts when it is first needed, and again after a stop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, task: Coroutine[Any, Any, Result]) -> Result:
        """Waits for the result; an interrupted caller leaves nothing running."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._loop.run_forever, name="coplay-client", daemon=True)
            self._thread.start()
        future = asyncio.run_coroutine_threadsafe(task, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def stop(self) -> None:
        loop, self._loop = self._loop, None
        if loop is not None and self._thread is not None:
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()
            loop.close()
