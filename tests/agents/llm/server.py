"""A server that speaks OpenAI's chat protocol, with a model that picks a legal move by the words it is shown, and that
misbehaves as it is told."""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


def pick(messages: list[dict[str, str]]) -> str:
    """An answer with a legal move in it, always the same one for the same view."""
    view = messages[1]["content"]
    ids = re.findall(r"^ +(\d+): ", view, re.MULTILINE)
    listed = re.search(r"Ids of legal moves: ([\d, ]+)", view)
    ids = ids or (listed.group(1).split(", ") if listed else [])
    chosen = ids[int(hashlib.sha256(view.encode()).hexdigest(), 16) % len(ids)]
    return f"I have seen {len(view)} characters.\nACTION: {chosen}"


class Served:
    """What was asked, and how the next questions are answered: each by one of `troubles`, then properly."""

    def __init__(self) -> None:
        self.questions: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answered: list[dict[str, Any]] = []
        self.troubles: list[Callable[[Any], None] | None] = []
        self.say: Callable[[list[dict[str, str]]], str] = pick
        self.url = ""
        self.lock = threading.Lock()
        self.closed = threading.Event()


def status(code: int, message: str = "busy", **headers: str) -> Callable[[Any], None]:
    def trouble(handler: Any) -> None:
        body = json.dumps({"error": {"message": message}}).encode()
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return trouble


def cut(handler: Any) -> None:
    """Promises more than it sends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')
    handler.close_connection = True


def hang_up(handler: Any) -> None:
    handler.close_connection = True


def nonsense(handler: Any) -> None:
    body = b"<html>Welcome!</html>"
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def drip(handler: Any) -> None:
    """A byte now and then, for ever."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    try:
        while not handler.server.served.closed.wait(0.02):
            handler.wfile.write(b" ")
            handler.wfile.flush()
    except OSError:
        pass
    handler.close_connection = True


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        served: Served = self.server.served  # pyright: ignore[reportAttributeAccessIssue]
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with served.lock:
            served.questions.append(question)
            served.headers.append(dict(self.headers))
            trouble = served.troubles.pop(0) if served.troubles else None
        if self.path != "/v1/chat/completions":
            trouble = status(404, "no such place")
        if trouble is not None:
            return trouble(self)
        with served.lock:
            served.answered.append(question)
        text = served.say(question["messages"])
        used = {
            "prompt_tokens": sum(len(one["content"]) for one in question["messages"]),
            "completion_tokens": len(text),
        }
        found = {"choices": [{"message": {"role": "assistant", "content": text}}], "usage": used}
        body = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        return None

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving() -> Iterator[Served]:
    served = Served()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.daemon_threads = True
    server.served = served  # pyright: ignore[reportAttributeAccessIssue]
    served.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.closed.set()
        server.shutdown()
        server.server_close()
        thread.join()
