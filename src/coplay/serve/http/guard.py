"""Limits on requests: size of bodies, and how many from one address and with one key, with Retry-After."""

from __future__ import annotations

import contextlib
import hashlib
import ipaddress
import math
import threading
from collections.abc import Awaitable, Callable, Iterator

from fastapi import Request, Response
from fastapi.responses import JSONResponse
from starlette.requests import HTTPConnection

from coplay.challenge.errors import ChallengeError
from coplay.serve.http.bodies import LARGEST
from coplay.serve.timing import SYSTEM, Timing

MOST_BUCKETS = 10_000
BAD_KEYS = 30  # that an address may show at once, and in a minute


def address_of(connection: HTTPConnection) -> str:
    """Whose limits count: an address, or the network of 2^64 addresses that one line has in IPv6."""
    text = connection.client.host if connection.client else "?"
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    return str(address.ipv4_mapped or ipaddress.ip_network((int(address), 64), strict=False))


class Bucket:
    """So many at once, refilled at a rate."""

    def __init__(self, size: float, per_second: float, now: float) -> None:
        self.size, self.per_second = size, per_second
        self.left, self.at = size, now

    def look(self, now: float) -> float:
        """0, or the seconds until the next is allowed."""
        self.left = min(self.size, self.left + (now - self.at) * self.per_second)
        self.at = now
        return (1 - self.left) / self.per_second if self.left < 1 else 0.0

    def take(self, now: float) -> float:
        """As `look`; one less is left."""
        wait = self.look(now)
        self.left -= not wait
        return wait


class Guard:
    """Stands before every request."""

    def __init__(self, requests_per_minute: int, sign_ups_per_hour: int, timing: Timing = SYSTEM) -> None:
        self._timing = timing
        self._rates = {
            "request": (requests_per_minute, requests_per_minute / 60),
            "sign up": (sign_ups_per_hour, sign_ups_per_hour / 3600),
            "bad key": (BAD_KEYS, BAD_KEYS / 60),
        }
        self._buckets: dict[tuple[str, str], Bucket] = {}
        self._lock = threading.Lock()

    def wait(self, what: str, who: str, rate: tuple[float, float] | None = None) -> float:
        """0, or the seconds `who` has to wait. `rate`: so many at once and so many a second, if not ours."""
        with self._lock:
            return self._bucket(what, who, rate).take(self._timing.monotonic())

    def wait_for_both(self, what: str, who: str, key: str | None) -> float:
        """As `wait`, for an address and then the key that it sends; unknown keys have limits too."""
        wait = self.wait(what, who)
        return wait or (self.wait(what, hashlib.sha256(key.encode()).hexdigest()) if key else 0.0)

    @contextlib.contextmanager
    def key_from(self, who: str) -> Iterator[None]:
        """Around looking a key up: an address that has shown too many wrong ones has to wait, with good ones too."""
        with self._lock:
            wait = self._bucket("bad key", who).look(self._timing.monotonic())
        if wait:
            text = f"too many wrong keys came from this address; try again in {math.ceil(wait)} seconds."
            raise ChallengeError(text, 429, "too_many", retry_after=math.ceil(wait))
        try:
            yield
        except ChallengeError as problem:
            if problem.code in ("bad_key", "revoked"):
                self.wait("bad key", who)
            raise

    def _bucket(self, what: str, who: str, rate: tuple[float, float] | None = None) -> Bucket:
        if len(self._buckets) > MOST_BUCKETS:
            self._forget()
        return self._buckets.setdefault((what, who), Bucket(*(rate or self._rates[what]), self._timing.monotonic()))

    def _forget(self) -> None:
        """Lets go of full buckets, which are as good as new; if there are too few of those, of the fuller half."""
        for bucket in self._buckets.values():
            bucket.look(self._timing.monotonic())
        by_need = sorted(self._buckets.items(), key=lambda entry: entry[1].left / entry[1].size)
        kept = [entry for entry in by_need if entry[1].left < entry[1].size]
        self._buckets = dict(kept[: MOST_BUCKETS // 2])

    async def pass_on(self, request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        """Refuses what is too much, hands on the rest."""
        who = address_of(request)
        what = "sign up" if request.method == "POST" and request.url.path.endswith("/register") else "request"
        key = request.headers.get("authorization")
        wait = 0.0 if request.url.path == "/healthz" else self.wait_for_both(what, who, key)
        if wait:
            seconds = math.ceil(wait)
            body = {"code": "too_many", "message": f"too many requests; try again in {seconds} seconds."}
            return JSONResponse(body, 429, {"Retry-After": str(seconds)})
        size = request.headers.get("content-length")
        if size is None and "transfer-encoding" in request.headers:
            return _too_large()  # nobody needs to stream to us
        if size is not None and (not size.isdigit() or int(size) > LARGEST):
            return _too_large()
        return await call_next(request)


def _too_large() -> Response:
    text = f"a body has at most {LARGEST} bytes, and says how many it has."
    return JSONResponse({"code": "too_large", "message": text}, 413, {"Connection": "close"})
