"""What the sync and the async connection share."""

from __future__ import annotations

import json

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from coplay_client.errors import Refused, Superseded

SUPERSEDED = 4409  # the server's close code


def refusal(error: InvalidHandshake) -> Refused | None:
    """The server's no, if that is what broke the handshake; a server that starts or restarts may yet say yes."""
    if not isinstance(error, InvalidStatus) or error.response.status_code in (429, 500, 502, 503, 504):
        return None
    status = error.response.status_code
    try:
        said = json.loads(error.response.body or b"")
        return Refused(said["message"], status, said["code"])
    except (ValueError, KeyError, TypeError):
        return Refused(f"the server answered {status}; is the address right?", status)


def raise_if_superseded(error: Exception) -> None:
    """A connection that was closed because another has taken over must not take over in turn."""
    if isinstance(error, ConnectionClosed) and error.rcvd is not None and error.rcvd.code == SUPERSEDED:
        raise Superseded("another connection with this key has taken the games over.") from None


def wait_before(tries: int) -> float:
    """Seconds before trying again: quickly at first, every five seconds later."""
    return min(5.0, 0.2 * 2**tries) if tries < 10 else 5.0
