"""A line that says how far an attempt is."""

from __future__ import annotations

import sys
import time


class Progress:
    """Writes to the terminal at most five times a second, and to nothing else."""

    def __init__(self, show: bool | None) -> None:
        self.show = sys.stderr.isatty() if show is None else show
        self._began, self._first, self._last = time.monotonic(), None, 0.0

    def tell(self, played: int, total: int) -> None:
        now = time.monotonic()
        if not self.show or (now - self._last < 0.2 and played < total):
            return
        self._first = played if self._first is None else self._first
        self._last = now
        rate = (played - self._first) / max(now - self._began, 1e-9)
        filled = 30 * played // max(total, 1)
        line = f"\r{'█' * filled}{'·' * (30 - filled)} {played} of {total} games, {rate:.1f} a second "
        print(line, end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self.show:
            print(file=sys.stderr)
