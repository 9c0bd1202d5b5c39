"""A Ray of two nodes on one machine, each with one core; the second can be killed like a machine that loses power."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

NODE = "COPLAY_TEST_NODE"  # what the workers of a node find in their environment
STARTED = "Ray runtime started"
RAY = Path(sys.executable).with_name("ray")


class Nodes(NamedTuple):
    """Both, as they were started."""

    first: subprocess.Popen[bytes]
    second: subprocess.Popen[bytes]

    def kill_second(self) -> None:
        """All of its processes at once, without a word to anybody."""
        _kill(self.second)


@contextmanager
def two_nodes() -> Iterator[Nodes]:
    """Gives the nodes; while they run, this program and those it starts find them, and no other cluster."""
    with TemporaryDirectory(
        prefix="ray-", ignore_cleanup_errors=True
    ) as home:  # Ray wants a short path for its sockets
        yield from _nodes(Path(home))


def _nodes(home: Path) -> Iterator[Nodes]:
    (home / "token").write_text(secrets.token_hex(32))
    port = _free_port()
    known = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(home / "token"), "RAY_USAGE_STATS_ENABLED": "0"}
    before = dict(os.environ)
    os.environ |= known | {"RAY_ADDRESS": f"127.0.0.1:{port}"}
    started = []
    try:
        head = ["--head", f"--port={port}", "--include-dashboard=false", "--ray-client-server-port", str(_free_port())]
        started.append(_start(home, "first", [*head, f"--temp-dir={home}"]))
        started.append(_start(home, "second", [f"--address=127.0.0.1:{port}"]))
        yield Nodes(*started)
    finally:
        for node in reversed(started):
            _kill(node)
        os.environ.clear()
        os.environ |= before


def _start(home: Path, name: str, words: list[str]) -> subprocess.Popen[bytes]:
    log = home / f"{name}.log"
    with log.open("wb") as told:
        command = [str(RAY), "start", *words, "--num-cpus=1", "--block"]
        node = subprocess.Popen(command, stdout=told, stderr=told, env=os.environ | {NODE: name})
    while STARTED not in log.read_text():
        if node.poll() is not None:
            raise RuntimeError(f"Ray did not start: {log.read_text()}")
        time.sleep(0.1)
    return node


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _kill(node: subprocess.Popen[bytes]) -> None:
    """The node and everything it started; only these."""
    for process in reversed(_family(node.pid)):
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    node.wait()


def _family(root: int) -> list[int]:
    told = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = [tuple(map(int, line.split())) for line in told.splitlines()]
    found = [root]
    for one in found:  # grows while it is read
        found += [child for child, parent in parents if parent == one]
    return found
