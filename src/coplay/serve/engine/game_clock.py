"""The clock that games are charged by: seconds in which the server ran, whatever the clock on the wall says.

It goes on with the machine's monotonic clock, beat by beat, once a second. Between two beats it counts no more than
`LONGEST` seconds: while a process is stopped, or its machine sleeps or is moved, every clock stands still.

`here` is the reading of this process, by which it measures. `shared` is that of all processes of one database, by which
one takes over a game that another has begun: each beat writes it down, and the furthest holds. It goes on while some
process lives, so a stop of the server costs nobody anything.
"""

from __future__ import annotations

import threading

from coplay.serve.timing import Timing

BEAT, LONGEST = 1.0, 5.0  # seconds between two beats; the most that one counts


class GameClock:
    """Safe from any thread."""

    def __init__(self, timing: Timing) -> None:
        self._timing, self._lock = timing, threading.Lock()
        self._beaten, self._at = 0.0, timing.monotonic()
        self._ahead = 0.0  # of the shared reading

    def here(self) -> float:
        with self._lock:
            return self._reading()

    def shared(self) -> float:
        with self._lock:
            return self._reading() + self._ahead

    def beat(self) -> None:
        """Counts what has passed."""
        with self._lock:
            self._beaten, self._at = self._reading(), self._timing.monotonic()

    def meet(self, furthest: float) -> None:
        """Another process is as far as this."""
        with self._lock:
            self._ahead = max(self._ahead, furthest - self._reading())

    def _reading(self) -> float:
        return self._beaten + min(self._timing.monotonic() - self._at, LONGEST)
