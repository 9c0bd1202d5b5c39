"""How many connections there are, whose, and how long each may take to say what it wants.

Half-open connections cost an attacker nothing, so each has an end, each address has only so many, and a part is kept
for those who have shown a key of theirs. Where a stranger finds no room, the oldest connection that has not asked for
anything yet makes place: who asks at once gets in, however many others are silent.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import ipaddress
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from starlette.requests import HTTPConnection

from coplay.challenge.errors import ChallengeError
from coplay.serve.engine.metrics import Metrics
from coplay.serve.timing import Timing

HEAD, BODY, UNREAD = 10.0, 30.0, 60.0  # seconds for the head of a request, its body, and for reading an answer
LOOK = 1.0  # seconds between two looks for connections whose time is over
OTHER_FILES = 256  # that a process has open besides: the database, programs, pipes of partners
FEWEST, MOST = 64, 20_000


@dataclasses.dataclass(frozen=True)
class Limits:
    """Connections of one process."""

    total: int = 1000
    reserve: int = 250  # of them, for those who have shown a key
    per_address: int = 256  # of strangers
    per_key: int = 200  # what one key has beyond this counts as a stranger's

    @classmethod
    def of(cls, files: int) -> Limits:
        """What fits into a process that may open so many files."""
        total = max(FEWEST, min(MOST, files - OTHER_FILES))
        return cls(total, total // 4, min(cls.per_address, (total - total // 4) // 2), cls.per_key)


@dataclasses.dataclass(eq=False)
class Place:
    """One connection."""

    transport: asyncio.Transport
    address: str | None  # None: a proxy's, who counts itself
    phase: str = ""  # head, body, answer, unread; socket: a WebSocket, which has clocks of its own
    until: float | None = None  # when the phase must be over
    asked: bool = False  # a whole request has come
    key: str | None = None  # whose good key it has shown
    on_reserve: bool = False  # it came when there was no room for strangers


class Connections:
    """All connections of a process; used in its event loop."""

    def __init__(self, limits: Limits, timing: Timing, metrics: Metrics) -> None:
        self.limits, self._timing, self._metrics = limits, timing, metrics
        self._places: dict[Place, None] = {}  # in the order they came
        self._strangers: Counter[str | None] = Counter()
        self._keys: Counter[str] = Counter()
        self._seats: Counter[str] = Counter()
        metrics.gauges["connections"] = lambda: len(self._places)
        self.came = 0

    def __len__(self) -> int:
        return len(self._places)

    def admit(self, transport: asyncio.Transport, address: str | None) -> Place | None:
        """A new connection; None where there is no room for it."""
        self.came += 1
        place = Place(transport, address)
        limits = self.limits
        if address is not None and self._strangers[address] >= limits.per_address:
            if not self._make_room(one for one in self._places if one.address == address):
                self._metrics.add("connections_refused")
                return None
        elif self._strangers.total() >= limits.total - limits.reserve and not self._make_room(self._places):
            place.on_reserve = True
        if len(self._places) >= limits.total:
            self._metrics.add("connections_refused")
            return None
        self._places[place] = None
        self._strangers[address] += 1
        self.enter(place, "head", HEAD)
        return place

    def _make_room(self, among: Iterable[Place]) -> bool:
        """Ends the oldest that has not asked for anything."""
        silent = next((one for one in among if not one.asked and one.key is None), None)
        if silent is None:
            return False
        silent.transport.abort()
        self.release(silent)
        return True

    def enter(self, place: Place, phase: str, seconds: float | None = None) -> None:
        """The connection does something else from now on. A phase that goes on goes on with its time."""
        place.asked = place.asked or phase != "head"
        if phase != place.phase:
            place.phase = phase
            place.until = None if seconds is None else self._timing.monotonic() + seconds

    def know(self, place: Place | None, key: str) -> None:
        """It has shown a good key, whose id this is."""
        if place is None or place not in self._places or place.key is not None:
            return
        if self._keys[key] < self.limits.per_key:
            _one_less(self._strangers, place.address)
            self._keys[key] += 1
            place.key, place.on_reserve = key, False

    def release(self, place: Place) -> None:
        if place not in self._places:
            return
        del self._places[place]
        if place.key is None:
            _one_less(self._strangers, place.address)
        else:
            _one_less(self._keys, place.key)

    @contextlib.contextmanager
    def seat(self, who: str) -> Iterator[None]:
        """While somebody without a key in the header, most likely a person in the browser, has a WebSocket: behind a
        proxy too, an address has only so many."""
        if self._seats[who] >= self.limits.per_address:
            text = f"{self.limits.per_address} connections come from this address; close one, or try again later."
            raise ChallengeError(text, 429, "too_many", retry_after=5)
        self._seats[who] += 1
        try:
            yield
        finally:
            _one_less(self._seats, who)

    def sweep(self) -> None:
        """Ends connections whose time is over."""
        now = self._timing.monotonic()
        for place in [one for one in self._places if one.until is not None and one.until < now]:
            if place.phase in ("head", "body") and not place.transport.is_closing():
                place.transport.write(refusal(408, "the request took too long to arrive; send it at once."))
                place.transport.close()
            else:
                place.transport.abort()
            place.until = now + UNREAD  # should it not even take the answer

    async def watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK)
            self.sweep()


def _one_less(counts: Counter[Any], name: Any) -> None:
    counts[name] -= 1
    if not counts[name]:
        del counts[name]


def refusal(status: int, message: str) -> bytes:
    """An answer to somebody who has not asked yet, or not to the end."""
    reason = {408: "Request Timeout", 503: "Service Unavailable"}[status]
    body = f'{{"code": "{reason.split()[-1].lower()}", "message": "{message}"}}'
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
    return f"{head}Retry-After: 5\r\nConnection: close\r\n\r\n{body}".encode()


def place_of(connection: HTTPConnection) -> Place | None:
    """The place of whom the application answers; None under a server that is not ours."""
    return connection.scope.get("state", {}).get("place")


def is_named(address: str, names: str) -> bool:
    """Is it one of the proxies (addresses and networks, with commas)?"""
    try:
        found = ipaddress.ip_address(address)
        return any(found in network for network in _networks(names))
    except ValueError:
        return False


@cache
def _networks(names: str) -> tuple[Any, ...]:
    """Read once: every connection asks."""
    return tuple(ipaddress.ip_network(one.strip()) for one in names.split(",") if one.strip())
