"""A connection from every process to the first, so that all end at once, and in words, when one of them does.

A process that is lost leaves the others waiting for its numbers. JAX notices after a minute or two and aborts with a
page of C++; the operating system closes a connection at once, whatever ended the process that held it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import secrets
import socket
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import jax

from coplay.train.devices.hosts import gathered, was_told

GOODBYE = b"."
TOKEN = 32  # bytes
KNOCK = 10.0  # seconds that a connection may take to come about
TEMPORARY = 75  # how a process ends that did nothing wrong itself: EX_TEMPFAIL
ALIVE = (("TCP_KEEPIDLE", 20), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3))  # a machine without power says no goodbye

_lines: list[_Line] = []  # one at most: from the first run of the program on


@contextlib.contextmanager
def connected(folder: Path) -> Iterator[None]:
    """While it lasts, a process that is lost, or fails alone, ends this one. Processes that all fail go on."""
    if jax.process_count() == 1:
        yield
        return
    if not _lines:
        _lines.append(_Line())
    line = _lines[0]
    line.folders.append(folder)
    try:
        yield
    except BaseException as error:
        if not was_told(error):
            _fail_alone(error)
        raise
    finally:
        line.folders.pop()


def _fail_alone(error: BaseException) -> None:
    """The others wait for this process and can never hear of it otherwise; Python's usual end would wait for them."""
    if isinstance(error, jax.errors.JaxRuntimeError):
        time.sleep(2)  # it may be what the loss of another looks like; then the line says so first
    if not isinstance(error, KeyboardInterrupt):
        traceback.print_exception(error)
    print(f"coplay: process {jax.process_index()} of {jax.process_count()} ends all of them.", file=sys.stderr)
    _end(130 if isinstance(error, KeyboardInterrupt) else 1)


class _Line:
    """This process's end of it. Where no connection comes about, JAX's own patience has to do."""

    def __init__(self) -> None:
        self.folders, self.left, self.peers = list[Path](), False, dict[int, socket.socket]()
        server = socket.create_server(("", 0)) if jax.process_index() == 0 else None
        told = gathered(_invitation(server) if server else "")[0].split()
        if server is None:
            self._call(int(told[0]), told[1], told[2:])
        callers = gathered("called" if self.peers else "").count("called")
        if server is not None:
            with server:
                self._answer(server, told[1], callers)
        for number, peer in self.peers.items():
            threading.Thread(target=self._watch, args=(number, peer), daemon=True).start()
        atexit.register(self._leave)

    def _call(self, port: int, token: str, names: list[str]) -> None:
        for name in names:
            with contextlib.suppress(OSError):
                peer = socket.create_connection((name, port), timeout=KNOCK)
                peer.sendall(f"{token}{jax.process_index():8d}".encode())
                self.peers[0] = peer
                return

    def _answer(self, server: socket.socket, token: str, callers: int) -> None:
        server.settimeout(KNOCK)
        with contextlib.suppress(OSError):
            while len(self.peers) < callers:
                peer, _ = server.accept()
                peer.settimeout(KNOCK)
                said = peer.recv(TOKEN + 8, socket.MSG_WAITALL).decode(errors="replace")
                if secrets.compare_digest(said[:TOKEN], token):
                    self.peers[int(said[TOKEN:])] = peer
                else:
                    peer.close()

    def _watch(self, number: int, peer: socket.socket) -> None:
        peer.settimeout(None)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in ALIVE:
            if hasattr(socket, name):
                peer.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        try:
            said = peer.recv(1)
        except OSError:
            said = b""
        if said != GOODBYE and not self.left:
            keeps = [f" {folder} keeps the last checkpoint: begin all again with --resume." for folder in self.folders]
            print(
                f"coplay: process {number} of {jax.process_count()} has ended, so this one ends too; see what that one "
                f"said.{''.join(keeps[:1])}",
                file=sys.stderr,
            )
            _end(TEMPORARY)

    def _leave(self) -> None:
        """The program ends: in good order, or by an error that the others have not heard of."""
        failed = getattr(sys, "last_value", None)
        if failed is not None and not was_told(failed):
            _end(1)  # Python's usual end would wait for the others, who wait for this process
        self.left = True
        for peer in self.peers.values():
            with contextlib.suppress(OSError):
                peer.sendall(GOODBYE)
                peer.shutdown(socket.SHUT_WR)


def _invitation(server: socket.socket) -> str:
    """Port, token and the names of this machine."""
    name = socket.gethostname()
    with contextlib.suppress(OSError):
        found = {str(address[4][0]) for address in socket.getaddrinfo(name, None, socket.AF_INET)}
        return " ".join([str(server.getsockname()[1]), secrets.token_hex(TOKEN // 2), name, *sorted(found)])
    return f"{server.getsockname()[1]} {secrets.token_hex(TOKEN // 2)} {name}"


def _end(code: int) -> None:
    """At once: what is compiled cannot be stopped otherwise."""
    sys.stderr.flush()
    sys.stdout.flush()
    os._exit(code)
