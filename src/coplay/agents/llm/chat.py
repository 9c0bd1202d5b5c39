"""One question to a server that speaks OpenAI's chat protocol (vLLM, llama.cpp, Ollama, hosted ones).

Servers are busy, slow, cut their answers off or talk nonsense. All of that is tried again, later and later, with as few
questions at once as the server asks for. What stays broken stops the command (`CannotGoOn`); a question that the server
refuses as such costs only the game it was for (`Refused`).
"""

from __future__ import annotations

import http.client
import json
import random
import socket
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from coplay.player import AgentError, CannotGoOn

LARGEST = 1 << 24  # bytes of an answer
FIRST_WAIT, LONGEST_WAIT = 1.0, 60.0  # seconds between two tries
FEW = 2  # tries of the first question, where nothing shows that there is a server
LATER = {408, 409, 425, 429}  # "not now", besides the server's own errors
REFUSED = {400, 413, 422}  # "not this": too long, or something it does not know


class Refused(ValueError):
    """The server does not take this question; another one may be fine."""


class Reply(NamedTuple):
    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    tries: int = 1


class _Answered(NamedTuple):
    status: int
    wait: float | None  # seconds that the server asks for
    body: bytes


class Chat:
    """A server and how to reach it; used by many threads at once."""

    def __init__(
        self,
        url: str,
        key: str = "",
        seconds: float = 120.0,
        tries: int = 7,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        place = urlsplit(url)
        if place.scheme not in ("http", "https") or not place.hostname:
            raise AgentError(f"url={url!r}: write the address of the server, such as http://127.0.0.1:8000/v1.")
        self.url, self.seconds, self.tries = url.rstrip("/"), seconds, tries
        self._kind = http.client.HTTPSConnection if place.scheme == "https" else http.client.HTTPConnection
        self._host, self._port, self._path = place.hostname, place.port, f"{place.path.rstrip('/')}/chat/completions"
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
        self._sleep = sleep
        self._not_before = 0.0  # the server asked everybody to wait until then
        self.met = False  # it has answered once, so address, model and settings are right

    def ask(self, question: dict[str, Any]) -> Reply:
        """The answer to the body of a request."""
        body, begun, problem = json.dumps(question).encode(), time.monotonic(), ""
        there = self.met
        for number in range(self.tries):
            if number == FEW and not there:
                break
            self._sleep(max(self._not_before - time.monotonic(), 0))
            wait = min(FIRST_WAIT * 2**number, LONGEST_WAIT) * random.uniform(0.75, 1.25)
            try:
                answer = self._post(body)
            except (OSError, http.client.HTTPException) as error:
                problem = f"{type(error).__name__}: {error}"
            else:
                if answer.status == 200 and (reply := _read(answer.body, begun)):
                    self.met = True
                    return reply._replace(tries=number + 1)
                problem = f"status {answer.status}: {_told(answer.body)}"
                self._judge(answer.status, problem)
                there = there or answer.status != 200  # busy or broken; what answers nonsense may be something else
                if answer.wait is not None:
                    wait = min(answer.wait, LONGEST_WAIT)
                    self._not_before = time.monotonic() + wait
            self._sleep(wait)
        raise CannotGoOn(
            f"the language model at {self.url} does not answer ({problem}). Is the server running, and is `url` right? "
            "Repeat the command then: it goes on where it stopped, and no question that was answered is asked again."
        )

    def _judge(self, status: int, problem: str) -> None:
        """Raises where another try cannot help."""
        if status in REFUSED and self.met:
            raise Refused(problem)
        if status != 200 and status < 500 and status not in LATER:
            raise CannotGoOn(f"{self.url} refuses: {problem}. Look at the model's name, the url and the key.")

    def _post(self, body: bytes) -> _Answered:
        connection = self._kind(self._host, self._port, timeout=self.seconds)
        try:
            with _alarm(connection, self.seconds):
                connection.request("POST", self._path, body, self._headers)
                answer = connection.getresponse()
                read = answer.read(LARGEST)
                if answer.length:  # it promised more
                    raise http.client.IncompleteRead(read, answer.length)
                return _Answered(answer.status, _seconds(answer.headers.get("Retry-After")), read)
        finally:
            connection.close()


@contextmanager
def _alarm(connection: Any, seconds: float) -> Any:
    """Ends the connection after that time. A limit of the socket alone is for every piece of an answer: one that drips
    would take for ever."""
    late = threading.Event()

    def ring() -> None:
        late.set()
        with suppress(OSError, AttributeError):
            connection.sock.shutdown(socket.SHUT_RDWR)

    clock = threading.Timer(seconds, ring)
    clock.daemon = True
    clock.start()
    try:
        yield
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
        if late.is_set():
            raise TimeoutError(f"no answer within {seconds:g} seconds") from error
        raise
    finally:
        clock.cancel()


def _read(body: bytes, begun: float) -> Reply | None:
    """Nothing, where it is not what the protocol says."""
    try:
        found = json.loads(body)
        text = found["choices"][0]["message"]["content"] or ""
        used = found.get("usage") or {}
        tokens = (int(used.get(name) or 0) for name in ("prompt_tokens", "completion_tokens"))
        return Reply(str(text), *tokens, seconds=time.monotonic() - begun)
    except (ValueError, LookupError, TypeError, AttributeError):
        return None


def _told(body: bytes) -> str:
    """What the server says of its error, in one line."""
    text = body.decode("utf-8", "replace")
    try:
        found = json.loads(text)
        error = found.get("error", found) if isinstance(found, dict) else found
        text = error.get("message", text) if isinstance(error, dict) else str(error)
    except ValueError:
        pass
    return " ".join(str(text).split())[:200] or "nothing more"


def _seconds(header: str | None) -> float | None:
    try:
        return max(float(header), 0.0) if header else None
    except ValueError:  # a date: rare, and a wait of our own will do
        return None
