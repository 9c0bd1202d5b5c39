"""Connections that ask for nothing, or for ever: they end, and nobody else notices."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from coplay.serve.http.connections import BODY, HEAD, OTHER_FILES, Limits
from coplay.serve.http.logs import JsonLines, NoFlood
from coplay.serve.http.server import Server, Settings, create_app
from coplay.serve.ledger.hosting import host
from coplay.serve.store.database import open_database
from tests.serve.harness import rules
from tests.serve.serving import PATIENCE, serving, wait_for
from tests.serve.timing import HandMoved

ROOM = Limits(total=16, reserve=4, per_address=8, per_key=3)
HALF_A_HEAD, HALF_A_BODY = b"GET /healthz HTTP/1.1\r\nHost: x\r\n", b"POST /v1/prediction HTTP/1.1\r\nHost: x\r\n"
HALF_A_BODY += b"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"


@dataclasses.dataclass
class Running:
    """A server whose time stands still."""

    port: int
    timing: HandMoved
    server: Server
    ours: contextlib.ExitStack

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def count(self) -> int:
        return len(self.server.connections)

    def opened(self, text: bytes, source: str = "127.0.0.1") -> socket.socket:
        before = self.server.connections.came
        made = self.ours.enter_context(socket.create_connection(("127.0.0.1", self.port), PATIENCE, (source, 0)))
        made.sendall(text)
        wait_for(lambda: self.server.connections.came > before)
        return made

    @property
    def phases(self) -> list[str]:
        return [place.phase for place in self.server.connections._places]

    def is_healthy(self) -> bool:
        with httpx.Client(limits=httpx.Limits(max_keepalive_connections=0), timeout=PATIENCE) as client:
            return client.get(f"{self.url}/healthz").status_code == 200

    def wire(self, key: str | None) -> Any:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return connect(self.url.replace("http", "ws") + "/v1/socket", additional_headers=headers, open_timeout=PATIENCE)


@contextmanager
def running(url: str, limits: Limits = ROOM, believed: str = "10.0.0.7") -> Iterator[Running]:
    timing = HandMoved()
    app = create_app(Settings(url, connections=limits, sign_ups_per_hour=100, requests_per_minute=10_000), timing)
    with serving(app, forwarded_allow_ips=believed, timeout_keep_alive=600) as port, contextlib.ExitStack() as ours:
        yield Running(port, timing, app.state.server, ours)


@pytest.fixture
def house(url: str) -> Iterator[Running]:
    with running(url) as made:
        yield made


def _ended(connection: socket.socket) -> bytes:
    """What is read until the other side ends it."""
    heard = b""
    with contextlib.suppress(ConnectionResetError):
        while some := connection.recv(4096):
            heard += some
    return heard


def _is_open(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) != b""
    except BlockingIOError:
        return True
    except ConnectionResetError:
        return False
    finally:
        connection.settimeout(PATIENCE)


@pytest.mark.parametrize(("text", "seconds"), [(b"", HEAD), (HALF_A_HEAD, HEAD), (HALF_A_BODY, BODY)])
def test_a_request_that_does_not_arrive_is_given_up(house: Running, text: bytes, seconds: float) -> None:
    slow = house.opened(text)
    wait_for(lambda: house.phases == ["body" if seconds == BODY else "head"])
    house.timing.advance(seconds - 1)
    slow.sendall(b"x")  # a byte now and then buys no time
    assert house.is_healthy()
    assert _is_open(slow)
    house.timing.advance(2)
    assert b"408 Request Timeout" in _ended(slow)
    wait_for(lambda: house.count == 0)


def test_who_asks_at_once_gets_in_however_many_are_silent(house: Running) -> None:
    """No time goes by, so none of them is given up for its silence."""
    silent = [house.opened(HALF_A_HEAD, f"127.0.0.{2 + number // 6}") for number in range(60)]
    assert house.count <= ROOM.total
    assert house.is_healthy()
    assert sum(map(_is_open, silent)) >= ROOM.total - ROOM.reserve - 1


def test_an_address_has_so_many_connections(house: Running) -> None:
    silent = [house.opened(HALF_A_HEAD) for _ in range(ROOM.per_address + 5)]
    assert house.count == ROOM.per_address
    assert [_is_open(one) for one in silent] == [False] * 5 + [True] * ROOM.per_address
    assert house.is_healthy()


def test_people_of_one_address_have_so_many_sockets_behind_a_proxy_too(url: str) -> None:
    with running(url, dataclasses.replace(ROOM, per_address=2), believed="127.0.0.1") as house:
        told = {"X-Forwarded-For": "9.9.9.9"}
        where = house.url.replace("http", "ws") + "/v1/socket"
        with connect(where, additional_headers=told), connect(where, additional_headers=told):
            with pytest.raises(InvalidStatus) as refused, connect(where, additional_headers=told):
                pass
            assert refused.value.response.status_code == 429
            with house.wire(None):
                pass


def test_when_strangers_fill_the_server_entrants_still_enter(house: Running, url: str) -> None:
    database = open_database(url)
    with database.write() as transaction:
        host.new_challenge(transaction, "small", rules())
        host.open_challenge(transaction, "small")
        _, keys = host.register(transaction, "small", "one", "m", "c", "none")
    database.close()
    assert keys is not None
    with contextlib.ExitStack() as stack:
        for number in range(ROOM.total - ROOM.reserve):
            source = (f"127.0.0.{2 + number // 6}", 0)
            where = house.url.replace("http", "ws") + "/v1/socket"
            stack.enter_context(connect(where, source_address=source))  # each has asked, and none makes room
        with pytest.raises(InvalidStatus) as refused, house.wire(None):
            pass
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Retry-After"] == "5"
        asked = httpx.get(f"{house.url}/v1/challenges")
        assert (asked.status_code, asked.json()["code"]) == (503, "full")
        with house.wire(keys.test) as wire:
            wire.send(json.dumps({"type": "hello", "version": 1}))
            assert json.loads(wire.recv(PATIENCE))["type"] == "welcome"
            headers = {"Authorization": f"Bearer {keys.test}"}
            assert httpx.get(f"{house.url}/v1/me", headers=headers).status_code == 200


def test_one_key_has_no_endless_reserve(house: Running, url: str) -> None:
    limits, places = house.server.connections, []
    for _ in range(ROOM.per_key + 1):
        place = limits.admit(_Transport(), "9.9.9.9")  # pyright: ignore[reportArgumentType]
        limits.know(place, "key")
        places.append(place)
    assert [place.key for place in places] == ["key"] * ROOM.per_key + [None]
    for place in places:
        limits.release(place)
        limits.release(place)
    assert (limits._strangers, limits._keys) == ({}, {})


class _Transport:
    """Nothing is sent."""


def test_a_process_leaves_files_for_all_else_that_it_opens() -> None:
    for files in (1024, 4096, 65536):
        limits = Limits.of(files)
        assert limits.total <= files - OTHER_FILES
        assert 0 < limits.per_address < limits.total - limits.reserve < limits.total


def test_a_line_that_comes_again_and_again_is_written_now_and_then() -> None:
    """405 MB of one traceback filled a disk in a minute."""
    timing = HandMoved()
    flood = NoFlood(timing.monotonic)

    def said(text: str, **more: str) -> bool | str:
        record = logging.LogRecord("asyncio", logging.ERROR, "", 0, text, (), None)
        vars(record).update(more)
        return flood.filter(record) and JsonLines().format(record)

    through = [said(f"socket.accept() out of system resource\nsocket: {number}") for number in range(5000)]
    assert sum(map(bool, through)) == NoFlood.MANY
    assert all(said("deal stuck", table=str(number)) for number in range(50))  # each is another
    timing.advance(NoFlood.SECONDS + 1)
    assert '"left_out": 4990' in str(said("socket.accept() out of system resource\nsocket: 1"))
