"""Requests to a challenge server through its client, whose errors are told as ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from coplay.challenge.errors import ChallengeError

T = TypeVar("T")


def with_client(act: Callable[[Any], T]) -> T:
    """What an act with a server gives; `act` is given the client."""
    try:
        import coplay_client
    except ImportError as error:
        raise ChallengeError(f"{error}; install the client: pip install coplay-client.") from error
    try:
        return act(coplay_client)
    except coplay_client.ClientError as error:
        raise ChallengeError(str(error)) from error


def ask(method: str, path: str, key: str | None, url: str | None, **more: Any) -> Any:
    """A request's JSON answer."""

    def act(client: Any) -> Any:
        return client.requests.request(method, f"{client.requests.address(url)}{path}", key, **more)

    return with_client(act)
