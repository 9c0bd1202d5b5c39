"""Limits on requests: size of bodies, and how many from one address and with one key, with Retry-After."""

from __future__ import annotations

import hashlib
import math
import threading
import time
from collections.abc import Awaitable, Callable

from fastapi import Request, Response
from fastapi.responses import JSONResponse

LARGEST = 64 * 1024  # bytes of a body
MOST_BUCKETS = 10_000


class Bucket:
    """So many at once, refilled at a rate."""

    def __init__(self, size: float, per_second: float) -> None:
        self.size, self.per_second = size, per_second
        self.left, self.at = size, time.monotonic()

    def take(self) -> float:
        """0, or the seconds until the next is allowed."""
        now = time.monotonic()
        self.left = min(self.size, self.left + (now - self.at) * self.per_second)
        self.at = now
        if self.left < 1:
            return (1 - self.left) / self.per_second
        self.left -= 1
        return 0.0


class Guard:
    """Stands before every request."""

    def __init__(self, requests_per_minute: int, sign_ups_per_hour: int) -> None:
        self._rates = {
            "request": (requests_per_minute, requests_per_minute / 60),
            "sign up": (sign_ups_per_hour, sign_ups_per_hour / 3600),
        }
        self._buckets: dict[tuple[str, str], Bucket] = {}
        self._lock = threading.Lock()

    def wait(self, what: str, who: str) -> float:
        """0, or the seconds `who` has to wait."""
        with self._lock:
            if len(self._buckets) > MOST_BUCKETS:
                self._buckets.clear()  # an address that returns gets a full bucket: too generous, never too strict
            bucket = self._buckets.setdefault((what, who), Bucket(*self._rates[what]))
            return bucket.take()

    def wait_for_both(self, what: str, who: str, key: str | None) -> float:
        """As `wait`, for an address and then the key that it sends; unknown keys have limits too."""
        wait = self.wait(what, who)
        return wait or (self.wait(what, hashlib.sha256(key.encode()).hexdigest()) if key else 0.0)

    async def pass_on(self, request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
        """Refuses what is too much, hands on the rest."""
        who = request.client.host if request.client else "?"
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
