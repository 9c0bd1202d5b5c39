"""The requests that are not games."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import httpx

from coplay_client.errors import ClientError, Refused

NO_SERVER = "Is this the address of a coplay server, without a path?"
SECONDS = 60.0
DEFAULT = "http://127.0.0.1:8000"


class Keys(NamedTuple):
    """An entrant's keys; keep them, the server shows them once."""

    test: str
    evaluation: str


def address(url: str | None) -> str:
    """The server's address: given, from COPLAY_URL, or this machine."""
    found = (url or os.environ.get("COPLAY_URL") or DEFAULT).rstrip("/")
    if not found.startswith(("http://", "https://")):
        raise ClientError(f"url={found!r} should begin with http:// or https://.")
    return found


def socket_address(url: str) -> str:
    return "ws" + url.removeprefix("http") + "/v1/socket"


def register(
    url: str,
    challenge: str,
    *,
    name: str,
    method: str,
    contact: str,
    human_data: str,
    track: str = "",
    terms: str = "",
) -> Keys:
    """Enters a challenge that lets everyone in, and returns the two keys. Where the rules have tracks, choose one;
    where they have terms, read them and give their version, `terms_version`: that accepts them."""
    body = {"name": name, "method": method, "contact": contact, "human_data": human_data}
    body |= {field: value for field, value in (("track", track), ("terms", terms)) if value}
    answer = request("POST", f"{address(url)}/v1/challenges/{challenge}/register", json=body)
    if answer["test_key"] is None:
        raise Refused(f"{name} is registered; the host gives you keys after a look at it.", 202, "pending")
    return Keys(answer["test_key"], answer["evaluation_key"])


def rotate_key(key: str, url: str | None = None) -> str:
    """Ends a test or evaluation key that others may have seen, and returns another; keep it, it is shown once."""
    return request("POST", f"{address(url)}/v1/keys/rotate", key)["key"]


def request(method: str, url: str, key: str | None = None, seconds: float = SECONDS, **more: Any) -> Any:
    """A request's JSON answer; refusals raise with the server's words. `seconds`: to wait for it."""
    headers = {"Authorization": f"Bearer {key}"} if key else None
    try:
        answer = httpx.request(method, url, headers=headers, timeout=httpx.Timeout(seconds, connect=10), **more)
    except httpx.TransportError as error:
        why = str(error) or type(error).__name__
        raise ClientError(f"{url} cannot be reached: {why}. Is the address right, and does the server run?") from error
    if answer.is_error:
        try:
            said = answer.json()
            raise Refused(said["message"], answer.status_code, said["code"])
        except (ValueError, KeyError, TypeError):
            raise Refused(f"{url} answered {answer.status_code}. {NO_SERVER}", answer.status_code) from None
    try:
        return answer.json()
    except ValueError:
        raise ClientError(f"{url} did not answer in JSON. {NO_SERVER}") from None
