"""A server that runs in a thread, reached over a real socket."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI

from coplay.serve.http.socket import LARGEST

PATIENCE = 600.0  # seconds after which something has not happened, on however busy a machine


@contextmanager
def serving(app: FastAPI, **settings: Any) -> Iterator[int]:
    """Runs the application; yields its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    settings = {
        "http": "coplay.serve.http.protocols:HttpProtocol",
        "ws": "coplay.serve.http.protocols:SocketProtocol",
        "ws_max_size": LARGEST,
        "ws_ping_interval": None,
        "log_level": "critical",
    } | settings
    running = uvicorn.Server(uvicorn.Config(app, port=port, **settings))
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    wait_for(lambda: running.started)
    try:
        yield port
    finally:
        running.should_exit = True
        thread.join(PATIENCE)


def wait_for(happened: Callable[[], bool], seconds: float = PATIENCE) -> None:
    """Returns as soon as it has happened; fails when it does not."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
