"""What a host or an entrant did wrong; the message names the value, the rule and the remedy."""

from __future__ import annotations


class ChallengeError(ValueError):
    """A challenge, a key or a message is not as it must be. `status` is the HTTP status that fits; where it asks to
    come again, `retry_after` says in how many seconds."""

    def __init__(self, message: str, status: int = 400, code: str = "bad_request", retry_after: int = 1) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


def needs_server(error: ImportError) -> ChallengeError:
    """The packages of a server are an extra; this names it."""
    return ChallengeError(f"{error}; a challenge server needs more packages: pip install 'coplay[server]'.")
