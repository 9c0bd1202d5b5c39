"""A server at the AH2AC2 addresses, and a client that does what the official one does: it reads the messages in the
same order, looks at the same fields and knows nothing else."""

from __future__ import annotations

import io
import json
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest

pytest.importorskip("fastapi")

import httpx
from websockets.sync.client import connect

from coplay.adapters import ah2ac2_server
from coplay.challenge.outcome.scoring import Record
from coplay.serve.http.run import self_signed
from coplay.serve.http.server import Server, Settings, create_app
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.results import records
from coplay.serve.store.models import Table
from tests.serve.serving import PATIENCE, serving

RULES = """
title = "AH2AC2"
answer_floor = 0
auto_approve = true
[[configuration]]
name = "small"
game = "hanabi-very-small"
settings = { life_tokens = 3 }
players = 2
games = 3
partners = ["random"]
[[configuration]]
name = "three"
game = "hanabi-very-small"
settings = { life_tokens = 3 }
players = 3
games = 1
partners = ["random"]
seatings = [[0, 2]]
"""


class Host(NamedTuple):
    """A running server."""

    base: str  # as in AH2AC2_EVALUATION_BASE_URL
    certificate: Path
    server: Server
    log: io.StringIO

    def info(self, key: str) -> httpx.Response:
        return httpx.get(f"https://{self.base}/evaluation-info/{key}", verify=self.trust)

    @property
    def trust(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=str(self.certificate))
        # The client of these tests reads and writes in two threads; in TLS 1.3 tickets arrive while it writes its
        # first request, and on Python 3.11 one connection in 2,000 then waits for ever.
        context.maximum_version = ssl.TLSVersion.TLSv1_2
        return context


@contextmanager
def hosting(database: str, folder: Path, log: io.StringIO) -> Iterator[Host]:
    """A server behind TLS, as the client wants it."""
    made = create_app(Settings(database, requests_per_minute=100_000))
    ah2ac2_server.install(made)
    certificate, key = self_signed(folder / "tls")
    tls = {"ssl_certfile": certificate, "ssl_keyfile": key}
    with serving(made, **tls, access_log=False, log_config=None, log_level=None) as port:
        with made.state.server.database.write() as transaction:
            host.new_challenge(transaction, "small", RULES)
            host.open_challenge(transaction, "small")
        yield Host(f"localhost:{port}", certificate, made.state.server, log)


class Game:
    """One game as the official client holds it."""

    def __init__(self, app: Host, address: str) -> None:
        self.socket = connect(f"wss://{app.base}{address}", ssl=app.trust, open_timeout=60, ping_timeout=PATIENCE)
        self.socket.recv()  # the handshake, thrown away unread
        self.first = self.receive()

    def receive(self) -> dict[str, Any]:
        return json.loads(self.socket.recv(PATIENCE))

    def step(self, actions: Any) -> dict[str, Any]:
        self.socket.send(json.dumps(actions))
        return self.receive()

    def close(self) -> None:
        try:
            self.socket.close()
        except RuntimeError as error:  # CPython 3.11, seldom: a thread ends while two others look whether it has
            if "unlocked lock" not in str(error):
                raise

    def play(self, choose: Callable[[list[int]], int]) -> list[dict[str, Any]]:
        """Every message, to the end of the game."""
        said = [self.first]
        while not said[-1].get("done"):
            mine = self.first["info"]["candidate_controlling"]
            said.append(self.step({name: choose(said[-1][name]["legal_moves"]) for name in mine}))
            assert set(said[-1]) == {*mine, "done", "score"}
        self.close()
        return said


def first(legal: list[int]) -> int:
    return legal.index(1)


def next_game(app: Host, key: str) -> Game:
    return Game(app, f"/play-next?submission_key={key}")


def record_of(app: Host, game: Game) -> Record:
    id = f"{game.first['info']['game_id']:016x}"
    with app.server.database.read() as transaction:
        table = transaction.get(Table, id)
        assert table is not None
        return next(one for one in records(transaction, table.attempt_id) if one.id == id)
