"""Several processes on one address."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from coplay.serve.http.workers import BETWEEN_LOOKS, Workers
from tests.serve.serving import PATIENCE, wait_for


async def answers_nobody(scope: Any, receive: Any, send: Any) -> None:
    """An application for processes that only live and die."""


def test_a_process_killed_while_it_is_asked_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, "signal", lambda *_: None)  # the handlers of this process stay as they are
    app = f"{__name__}:{answers_nobody.__name__}"
    config = uvicorn.Config(app, port=0, workers=1, log_config=None, timeout_worker_healthcheck=int(100 * PATIENCE))
    listening = config.bind_socket()
    workers = Workers(config, [listening])
    workers.init_processes()
    first = workers.processes[0].pid
    assert first is not None
    os.kill(first, signal.SIGSTOP)  # so it does not answer
    asking = threading.Thread(target=workers.keep_subprocess_alive, daemon=True)
    asking.start()
    asking.join(0.5)
    assert asking.is_alive()
    os.kill(first, signal.SIGKILL)
    asking.join(PATIENCE)
    assert not asking.is_alive()
    assert workers.processes[0].pid != first
    workers.processes[0].kill()
    workers.processes[0].join()
    listening.close()


STARTER = """
import os, subprocess, sys
worker = "from coplay.serve.http.workers import end_with_starter; end_with_starter(); import time; time.sleep(9999)"
os.environ["COPLAY_STARTER"] = str(os.getpid())
child = subprocess.Popen([sys.executable, "-c", worker])
print(child.pid, flush=True)
child.wait()
"""


def test_no_process_outlives_the_one_that_started_it() -> None:
    with subprocess.Popen([sys.executable, "-c", STARTER], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        worker = Path(f"/proc/{starter.stdout.readline().strip()}")
        starter.kill()
    wait_for(lambda: not worker.exists() or " Z " in (worker / "stat").read_text(), PATIENCE + BETWEEN_LOOKS)
