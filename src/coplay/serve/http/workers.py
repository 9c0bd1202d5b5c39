"""Several processes on one address: whoever dies is replaced at once, and none outlives the one that started them.

uvicorn asks every process in turn whether it still answers, and gives it minutes, for one that imports JAX on a busy
machine is not dead. A process that was killed while it was asked would hold up everybody for as long.
"""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from typing import Any

import uvicorn
from uvicorn.supervisors import Multiprocess

log = logging.getLogger("coplay.serve")
STARTER = "COPLAY_STARTER"  # the process that started the workers, in their environment
BETWEEN_LOOKS = 1.0  # seconds


class Workers(Multiprocess):
    """As uvicorn's, with an end to the question when the process that is asked ends."""

    def keep_subprocess_alive(self) -> None:
        for process in self.processes:
            process.child_conn.close()  # the process has its own; while we hold one too, its end is not noticed
        super().keep_subprocess_alive()


def run_workers(config: uvicorn.Config) -> None:
    """Serves until it is told to stop."""
    os.environ[STARTER] = str(os.getpid())
    Workers(config, [config.bind_socket()]).run()


def end_with_starter() -> None:
    """Called in a worker: it ends when the process that started it was killed, and so leaves the port free."""
    starter = os.environ.get(STARTER)
    if starter is not None:
        threading.Thread(target=_watch, args=(int(starter),), name="watch", daemon=True).start()


def _watch(starter: int, kill: Any = os.kill) -> None:
    while os.getppid() == starter:
        time.sleep(BETWEEN_LOOKS)
    log.error("the process that started this one is gone")
    kill(os.getpid(), signal.SIGTERM)
