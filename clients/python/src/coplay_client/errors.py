"""What can go wrong; every message says what to do."""

from __future__ import annotations


class ClientError(Exception):
    """Something is wrong between this program and the server."""


class Refused(ClientError):
    """The server said no: a wrong key, a spent attempt, a bad request. `status` and `code` are its words."""

    def __init__(self, message: str, status: int = 0, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


class ConnectionLost(ClientError):
    """The server could not be reached for as long as the client's patience lasted. Nothing is lost: run again."""


class Superseded(ClientError):
    """Another connection with the same key has taken the games over."""


class Stuck(ClientError):
    """Nothing is left to play but games that wait for the host, because a partner fails in them."""


class IllegalAction(ClientError):
    """An action was not legal; the game waits for another one. Too many of them forfeit it."""

    def __init__(self, message: str, game: int, legal: list[int], offences_left: int) -> None:
        super().__init__(message)
        self.game, self.legal, self.offences_left = game, legal, offences_left
