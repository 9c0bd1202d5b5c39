"""People's tables in a process of their own: entrants' processes only pass on what is said."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import socket
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from coplay.serve.engine.game_batch import FEW
from coplay.serve.http.apart import Apart
from coplay.serve.http.server import Server, Settings, create_app
from coplay.serve.http.socket import CLOSE_AGAIN
from coplay.serve.ledger import gathering
from coplay.serve.ledger.people import Seat, new_person, new_table
from coplay.serve.pages.site import install
from coplay.serve.store.places import Customs
from tests.serve.serving import PATIENCE, serving, wait_for

ACTIONS = 10  # of hanabi-very-small with two players
KNOCKED = """
import os, socket, sys
door = socket.fromfd(int(sys.argv[1]), socket.AF_UNIX, socket.SOCK_STREAM)
guest, _ = door.accept()
guest.sendall(f"{os.environ['COPLAY_ONLY_PEOPLE']} {os.getpid()}".encode())
"""


class House:
    """Two processes for entrants, and one for people."""

    def __init__(self, ports: list[int], servers: list[Server], people: Server) -> None:
        self.ports, self.servers, self.people = ports, servers, people
        self.sites = [httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) for port in ports]

    def connect(self, process: int) -> Any:
        return connect(f"ws://127.0.0.1:{self.ports[process]}/v1/socket", open_timeout=PATIENCE, ping_timeout=None)


@pytest.fixture(scope="module")
def house(module_url: str) -> Iterator[House]:
    with tempfile.TemporaryDirectory() as folder, ExitStack() as running:
        path = f"{folder}/people"
        apps = [create_app(Settings(module_url, only_people=True))]
        apps += [create_app(Settings(module_url, people=path)) for _ in range(2)]
        for app in apps:
            install(app)
        running.enter_context(serving(apps[0], uds=path, forwarded_allow_ips="*"))
        ports = [running.enter_context(serving(app)) for app in apps[1:]]
        made = House(ports, [app.state.server for app in apps[1:]], apps[0].state.server)
        yield made
        for site in made.sites:
            site.close()


async def hear(wire: Any, *kinds: str) -> dict[str, Any]:
    """The next message of one of these kinds."""
    while True:
        message = json.loads(await asyncio.wait_for(wire.recv(), PATIENCE))
        if message["type"] in kinds:
            return message


async def play(wire: Any, key: str) -> str:
    """The first legal action whenever it is this seat's turn, to the end."""
    await wire.send(json.dumps({"type": "hello", "version": 1, "key": key, "want": ["legal"]}))
    while (message := await hear(wire, "turns", "over", "error"))["type"] == "turns":
        legal = np.frombuffer(base64.b64decode(message["legal"]), np.uint8).reshape(len(message["game"]), -1)
        action = np.unpackbits(legal, axis=1, count=ACTIONS).argmax(1).tolist()
        act = {"type": "act", "game": message["game"], "turn": message["turn"], "action": action}
        await wire.send(json.dumps(act | {"seat": message["seat"]}))
    return message["type"]


def test_two_people_who_come_by_different_processes_play_at_one_table(house: House) -> None:
    site = house.people
    with site.database.write() as transaction:
        person = new_person(transaction)
        customs = Customs(60, 0, "random")
        laid: Seat = new_table(
            transaction, "hanabi-very-small", {"players": 2}, [None], person=person.id, customs=customs
        )
        invitation = gathering.invite(transaction, laid.attempt, 1)
    where = f"/play/{laid.attempt}/join"
    taken = house.sites[1].post(where, data={"invitation": invitation})
    assert taken.status_code == 303, taken.text
    key = taken.headers["location"].partition("#")[2]

    async def both() -> list[str]:
        async with house.connect(0) as one, house.connect(1) as two:
            return list(await asyncio.gather(play(one, laid.key), play(two, key)))

    assert asyncio.run(both()) == ["over", "over"]
    assert not any(server.engine.tables.batches() for server in house.servers)
    assert [batch.game.players for batch in site.engine.tables.batches()] == [2]


def test_a_visitors_page_and_form_pass_through_with_their_cookies_and_their_address(house: House) -> None:
    site = house.sites[0]
    page = site.get("/play", headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "Sit down" in page.text or "<form" in page.text
    assert len(page.headers.get_list("content-security-policy")) == 1
    form = {"game": "hanabi", "players": "2", "variant": "None", "seat": "0", "partner": "random"}
    laid = site.post("/play", data=form)
    assert laid.status_code == 303, laid.text
    assert "coplay_participant" in laid.headers["set-cookie"]
    assert site.post("/play", data=form | {"partner": "nobody"}).status_code == 422
    from_elsewhere = site.post("/play", data=form, headers={"Origin": "https://elsewhere.example"})
    assert from_elsewhere.status_code == 403
    assert ("request", "127.0.0.1") in house.people.guard._buckets  # limits are counted by who asks
    assert house.people.engine.tables.capacity == FEW


def test_what_visitors_send_arrives_byte_for_byte_but_for_who_they_say_they_are(house: House) -> None:
    lines = [b"GET /play/a%3Fc?d=%C3%A9 HTTP/1.1", b"Host: x", b"X-Forwarded-For: 10.1.2.3", b"X-Odd: \xe9"]
    with socket.create_connection(("127.0.0.1", house.ports[0]), timeout=PATIENCE) as wire:
        wire.sendall(b"\r\n".join([*lines, b"Connection: close", b"", b""]))
        answer = wire.makefile("rb").read()
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert b"cache-control: no-store" in answer  # it is people's page that says so
    assert ("request", "10.1.2.3") in house.people.guard._buckets  # a proxy on this machine is believed, once


def test_while_the_server_is_about_to_stop_no_table_is_laid(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house.servers[0].engine, "draining", False)
    house.servers[0].engine.draining = True
    assert house.sites[0].post("/play", data={}).status_code == 503
    assert house.sites[0].get("/play").status_code == 200


def test_a_key_that_opens_nothing_is_refused_as_by_one_process(house: House) -> None:
    async def ask() -> dict[str, Any]:
        async with house.connect(0) as wire:
            await wire.send(json.dumps({"type": "hello", "version": 1, "key": "coplay_seat_nothing"}))
            return await hear(wire, "error")

    assert asyncio.run(ask())["code"] == "bad_key"


def test_whoever_comes_while_nobody_is_there_is_told_to_come_again(tmp_path: Path) -> None:
    from tests.databases import ready_sqlite

    settings = Settings(ready_sqlite(tmp_path / "coplay.db"), people=str(tmp_path / "nobody"))
    app = create_app(settings)
    install(app)

    async def knock(port: int) -> tuple[dict[str, Any], int | None]:
        async with connect(f"ws://127.0.0.1:{port}/v1/socket") as wire:
            await wire.send(json.dumps({"type": "hello", "version": 1, "key": "coplay_seat_x"}))
            message = await hear(wire, "error")
            with pytest.raises(ConnectionClosed):
                await wire.recv()
            return message, wire.close_code

    with serving(app) as port:
        message, code = asyncio.run(knock(port))
        assert (message["status"], code) == (503, CLOSE_AGAIN)
        refused = httpx.get(f"http://127.0.0.1:{port}/play")
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        page = httpx.get(f"http://127.0.0.1:{port}/play", headers={"Accept": "text/html"})
        assert "try again in a moment" in page.text


def test_the_process_starts_when_somebody_knocks_and_again_when_it_has_died(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coplay.serve.http.apart.SHORT", 0.0)
    apart = Apart([sys.executable, "-c", KNOCKED])
    apart.start()
    assert apart._process is None

    def knock() -> tuple[str, int]:
        with socket.socket(socket.AF_UNIX) as guest:
            guest.settimeout(PATIENCE)
            guest.connect(apart.path)
            marked, process = guest.recv(100).decode().split()
            return marked, int(process)

    (marked, first), (_, second) = knock(), knock()
    assert marked == "1"
    assert first != second
    folder = Path(apart.path).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    apart.stop()
    wait_for(lambda: not folder.exists())
    with pytest.raises(ProcessLookupError):
        os.kill(first, 0)
