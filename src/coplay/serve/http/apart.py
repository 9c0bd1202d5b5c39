"""People's tables in a process of their own, which begins when the first of them comes.

Whatever they sit down to is traced, compiled and held in memory there, with a lower priority than the games of
entrants. It is one process however many there are for entrants, so several people at one table always come together.

Who starts the server holds the socket that it listens at, and starts it when somebody knocks. So nobody who comes
meanwhile is turned away, and a process that has died is replaced by the next one who comes.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from coplay.serve.http.workers import STARTER, end_with_starter

PEOPLE, ONLY = "COPLAY_PEOPLE", "COPLAY_ONLY_PEOPLE"  # where they are; this process is theirs
NICE = 10  # of 19: compiling, which it does while nobody plays there, takes no time from rated games
WAITING = 1024  # connections that wait until it has started
SHORT = 10.0  # seconds; a process that lived no longer is not started again at once


class Apart:
    """The process, seen from the one that starts it."""

    def __init__(self, command: list[str] | None = None) -> None:
        self._folder = tempfile.mkdtemp(prefix="coplay-")  # readable by its owner alone
        self.path = str(Path(self._folder) / "people")
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(self.path)
        self._socket.listen(WAITING)
        self._ends, self._told = os.pipe()
        self._command = command or [sys.executable, "-m", "coplay.serve.http.apart"]
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped, self._lock = False, threading.Lock()
        self._thread = threading.Thread(target=self._watch, name="apart", daemon=True)

    def start(self, now: bool = False) -> None:
        """From now on it starts when somebody comes; `now`: at once."""
        self._now = now
        self._thread.start()

    def stop(self) -> None:
        with self._lock:
            if self._stopped:
                return
            self._stopped = True
            if self._process is not None:
                self._process.terminate()
        os.close(self._told)
        self._thread.join()
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _watch(self) -> None:
        while True:
            if not self._now:
                select.select([self._socket, self._ends], [], [])
            self._now, began = False, time.monotonic()
            with self._lock:
                if self._stopped:
                    os.close(self._ends)
                    return
                self._process = self._begin()
            self._process.wait()
            if time.monotonic() - began < SHORT:
                select.select([self._ends], [], [], SHORT)

    def _begin(self) -> subprocess.Popen[bytes]:
        handed = self._socket.fileno()
        environment = os.environ | {ONLY: "1", PEOPLE: "", STARTER: str(os.getpid())}
        return subprocess.Popen([*self._command, str(handed)], pass_fds=[handed], env=environment)


def settings_of(handed: int) -> dict[str, Any]:
    """As uvicorn is told; who passes requests on says for whom."""
    from coplay.serve.http.run import PROTOCOLS

    return PROTOCOLS | {"factory": True, "fd": handed, "forwarded_allow_ips": "*"}


def main() -> None:
    """The process itself."""
    import uvicorn

    if hasattr(os, "nice"):
        os.nice(NICE)
    with contextlib.suppress(OSError):  # where memory runs out, this one ends first: it loses nothing
        Path("/proc/self/oom_score_adj").write_text("500")
    end_with_starter()
    uvicorn.run("coplay.serve.http.run:application", **settings_of(int(sys.argv[1])))


if __name__ == "__main__":
    main()
