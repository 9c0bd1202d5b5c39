"""The space of games that a key opens, for ordinary code."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from typing import Any

from websockets.exceptions import InvalidHandshake, WebSocketException
from websockets.sync.client import ClientConnection, connect

from coplay_client.batch import Batch, Configuration, History, Turn
from coplay_client.environment import Environment
from coplay_client.errors import ConnectionLost, Refused
from coplay_client.play import Play
from coplay_client.progress import Progress
from coplay_client.requests import address, request, socket_address
from coplay_client.wire import raise_if_superseded, refusal, wait_before

BROKEN = (OSError, WebSocketException, EOFError)


class EvaluationSpace:
    """The games of an attempt. Iterate over it for many at once, or ask for one environment after another.

    key: the test key rehearses, the evaluation key counts.
    parallel: games at once. games: of each configuration, in a rehearsal. configurations: only these.
    want: what views come as, of "vector", "legal", "text", "view". turns: "own" or "all".
    history: also fetch what happened before in games that go on (`histories`).
    patience: seconds without a connection before giving up.
    """

    def __init__(
        self,
        submission_key: str,
        url: str | None = None,
        *,
        parallel: int = 1000,
        games: int | None = None,
        configurations: Sequence[str] | None = None,
        want: Sequence[str] = ("vector", "legal"),
        turns: str = "own",
        history: bool = False,
        progress: bool | None = None,
        patience: float = 300.0,
        ssl: Any = None,
    ) -> None:
        self.url = address(url)
        self._key, self._patience, self._ssl = submission_key, patience, ssl
        chosen = None if configurations is None else list(configurations)
        self._play = Play(
            {
                "parallel": parallel,
                "games": games,
                "configurations": chosen,
                "want": list(want),
                "turns": turns,
                "history": history,
            }
        )
        self._progress = Progress(progress)
        self._wire: ClientConnection | None = None
        self._stack = contextlib.ExitStack()
        self._one_at_a_time = False

    def __enter__(self) -> EvaluationSpace:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __iter__(self) -> Iterator[Batch]:
        """Batches of games that wait, until all are over and scored."""
        while True:
            turns = self._play.take()
            if turns:
                yield Batch(turns, self._act)
            elif self._play.done:
                self._progress.end()
                return
            else:
                self._receive()

    def next_environment(self) -> Environment | None:
        """The next game; None when there is none left."""
        if self._wire is None and not self._one_at_a_time:
            self._play.hello["parallel"] = 1
            self._one_at_a_time = True
        while not self._play.done:
            waiting = next((turn for turn in self._play.ready.values() if turn.mine), None)
            if waiting is not None:
                self._play.take(game=waiting.game)
                return Environment(self, waiting)
            self._receive()
        return None

    @property
    def info(self) -> dict[str, Any]:
        """What the key is for, its attempts, their progress and results."""
        return request("GET", f"{self.url}/v1/me", self._key, verify=self._ssl or True)

    @property
    def results(self) -> list[dict[str, Any]]:
        """The results of the attempt, one per configuration that is over."""
        attempt = self._play.welcome.get("attempt")
        return next((one["results"] for one in self.info["attempts"] if attempt in (None, one["id"])), [])

    @property
    def games(self) -> list[dict[str, Any]]:
        """Every game of the attempt, with scores once its configuration is over."""
        self._connected()
        return request("GET", f"{self.url}/v1/attempts/{self._play.welcome['attempt']}/games", self._key)

    @property
    def welcome(self) -> dict[str, Any]:
        """What the server said at the beginning: clock, hash of the schedule, configurations."""
        self._connected()
        return self._play.welcome

    @property
    def configurations(self) -> dict[str, Configuration]:
        self._connected()
        return self._play.configurations

    @property
    def histories(self) -> dict[int, History]:
        """What happened before in games that go on, by game; with history=True."""
        return self._play.histories

    @property
    def over(self) -> dict[int, tuple[str, float | None]]:
        """The games that ended while we were connected: how, and the score of a rehearsal."""
        return self._play.over

    def close(self) -> None:
        """Ends the connection; the attempt goes on when you come again."""
        self._wire = None
        self._stack.close()

    def _play_one(self, turn: Turn, action: int) -> Turn | None:
        """One action in one game; the next turn there, or None at its end."""
        self._act([turn], [action])
        while turn.game not in self._play.over:
            found = self._play.take(game=turn.game)
            if found:
                return found[-1]
            self._receive()
        return None

    def _act(self, turns: Sequence[Turn], actions: list[int]) -> None:
        self._send(self._play.act(turns, actions))

    def _send(self, messages: list[str]) -> None:
        wire = self._connected()
        try:
            for message in messages:
                wire.send(message)
        except BROKEN as error:
            raise_if_superseded(error)
            self._break()  # they go out again on the next connection

    def _receive(self) -> None:
        wire = self._connected()
        try:
            text = wire.recv()
        except BROKEN as error:
            raise_if_superseded(error)
            self._break()
            return
        self._play.receive(text)
        self._progress.tell(self._play.played, self._play.total)
        if self._play.retry_after is not None:
            self._break()

    def _break(self) -> None:
        self.close()
        time.sleep(self._play.retry_after or 0.0)
        self._play.retry_after = None

    def _connected(self) -> ClientConnection:
        """The connection; made again, with growing pauses, as long as the patience lasts."""
        if self._wire is not None:
            return self._wire
        began, problem = time.monotonic(), Exception()
        for tries in range(10**6):
            try:
                headers = {"Authorization": f"Bearer {self._key}"}
                opening = connect(
                    socket_address(self.url), additional_headers=headers, max_size=None, ssl=self._ssl, open_timeout=30
                )
                wire = self._stack.enter_context(opening)
                wire.send(self._play.hello_text)
                self._play.greeted(wire.recv(timeout=120))
                for message in self._play.again():
                    wire.send(message)
                self._wire = wire
                return wire
            except InvalidHandshake as error:
                problem = error
                if said := refusal(error):
                    raise said from None
            except (*BROKEN, TimeoutError) as error:
                problem = error
            except Refused as error:
                problem = error
                if error.status != 503:  # else it is busy, and will not be for long
                    raise
            self._stack.close()
            if time.monotonic() - began > self._patience:
                break
            time.sleep(wait_before(tries))
        raise ConnectionLost(
            f"{self.url} could not be reached for {self._patience:g} seconds ({problem}). "
            "Nothing is lost: run again and the attempt goes on."
        ) from problem
