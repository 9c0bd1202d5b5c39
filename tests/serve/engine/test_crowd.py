"""Many connections at once, and ones that behave badly, beside one that does not."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import socket as standard_socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from coplay.serve.engine.arrivals import Command
from coplay.serve.http import socket
from coplay.serve.http.connections import Limits
from coplay.serve.http.server import Server, Settings, create_app
from coplay.serve.http.socket import CLOSE_AGAIN
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.host import Keys
from coplay.serve.ledger.results import records
from coplay.serve.store.models import Attempt, Entrant
from tests.serve.harness import rules
from tests.serve.serving import PATIENCE, serving, wait_for
from tests.serve.timing import HandMoved

ROWS = 1000  # moves in a message of the flood
IDLE = 1000  # connections
FLOOR = 0.5  # seconds that every answer of the padded challenges takes at least
THOUGHT = 0.25  # seconds that the slow partner thinks
SLOW = """
import time
from pathlib import Path
from coplay import Agent

HERE = Path(__file__).parent

class Slow(Agent):
    def act(self, view):
        (HERE / "asked").touch()
        while (HERE / "wait").exists():
            time.sleep(0.005)
        return int(view.legal.argmax())
"""
ACTIONS = 10  # of hanabi-very-small with two players


class Room:
    """A running server and how to connect to it."""

    def __init__(self, port: int, server: Server, timing: HandMoved, agents: Path) -> None:
        self.port, self.server, self.timing, self.agents = port, server, timing, agents

    def enter(self, name: str, challenge: str = "small") -> tuple[Entrant, Keys]:
        with self.server.database.write() as transaction:
            entrant, keys = host.register(transaction, challenge, name, "m", "c", "none")
        assert keys is not None
        return entrant, keys

    def connect(self, key: str, **more: Any) -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        address = f"ws://127.0.0.1:{self.port}/v1/socket"
        return connect(address, additional_headers=headers, open_timeout=PATIENCE, ping_timeout=None, **more)

    def logs(self, entrant: Entrant) -> dict[int, tuple[str, ...]]:
        """The actions of every finished game of an entrant's evaluation, by deal."""
        with self.server.database.read() as transaction:
            attempt = transaction.query(Attempt).filter(Attempt.entrant_id == entrant.id).one()
            return {one.deal: one.actions for one in records(transaction, attempt.id)}


@pytest.fixture(scope="module")
def room(module_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Room]:
    slow = tmp_path_factory.mktemp("agents") / "slow.py"
    slow.write_text(SLOW)
    timing = HandMoved()
    crowd = Limits(total=2 * IDLE, reserve=100, per_address=IDLE)
    settings = Settings(module_url, requests_per_minute=100_000, move_seconds=PATIENCE, connections=crowd)
    app = create_app(settings, timing)
    with serving(app) as port:
        with app.state.server.database.write() as transaction:
            for name, partner, floor in (
                ("small", "random", 0),
                ("quick-partner", "random", FLOOR),
                ("slow-partner", f"file:{slow}:Slow", FLOOR),
            ):
                host.new_challenge(transaction, name, rules(games=3, partners=f'"{partner}"', floor=floor))
                host.open_challenge(transaction, name)
        yield Room(port, app.state.server, timing, slow.parent)


async def hear(wire: ClientConnection) -> dict[str, Any]:
    return json.loads(await asyncio.wait_for(wire.recv(), PATIENCE))


async def turn_of(wire: ClientConnection) -> dict[str, Any]:
    """The next views."""
    while (message := await hear(wire))["type"] != "turns":
        pass
    return message


async def until(happened: Callable[[], bool]) -> None:
    """Returns as soon as it has happened; fails when it does not."""
    async with asyncio.timeout(PATIENCE):
        while not happened():
            await asyncio.sleep(0.005)


async def hello(wire: ClientConnection, **more: Any) -> None:
    await wire.send(json.dumps({"type": "hello", "version": 1} | more))


def moves(message: dict[str, Any], **more: Any) -> str:
    """The first legal action in every game of a turns message."""
    packed = np.frombuffer(base64.b64decode(message["legal"]), np.uint8).reshape(len(message["game"]), -1)
    actions = np.unpackbits(packed, axis=1, count=ACTIONS).argmax(1).tolist()
    return json.dumps({"type": "act", "game": message["game"], "turn": message["turn"], "action": actions} | more)


async def play(room: Room, key: str, **more: Any) -> None:
    """Plays until everything is scored."""
    async with room.connect(key) as wire:
        await hello(wire)
        while (message := await hear(wire))["type"] != "finished":
            if message["type"] == "turns":
                await wire.send(moves(message, **more))


def test_fifty_connections_that_race_on_one_key_play_the_games_of_one(room: Room) -> None:
    (calm, calm_keys), (raced, raced_keys) = room.enter("calm"), room.enter("raced")

    async def race() -> str:
        """Comes in, takes everything over, plays what it is shown until somebody else takes it."""
        async with room.connect(raced_keys.evaluation) as wire:
            try:
                await hello(wire)
                while (message := await hear(wire))["type"] not in ("finished", "superseded", "error"):
                    if message["type"] == "turns":
                        await wire.send(moves(message))
            except ConnectionClosed as closed:  # while it was sending
                return "superseded" if closed.rcvd and closed.rcvd.code == socket.CLOSE_SUPERSEDED else "broken"
        return message["type"]

    async def everyone() -> None:
        await play(room, calm_keys.evaluation)
        ends = await asyncio.gather(*(race() for _ in range(50)))
        assert ends.count("superseded") > 10  # it was a race
        assert "broken" not in ends
        if "finished" not in ends:
            await play(room, raced_keys.evaluation)

    asyncio.run(everyone())
    assert len(room.logs(calm)) == 3
    assert room.logs(raced) == room.logs(calm)


def test_a_client_that_sends_and_never_reads_holds_no_memory_and_harms_no_other(room: Room) -> None:
    (_, good), (_, bad) = room.enter("reads"), room.enter("never reads")
    most = {"unread": 0, "unplayed": 0, "sent": 0}

    async def flood() -> None:
        narrow = standard_socket.socket()
        for buffer in (standard_socket.SO_RCVBUF, standard_socket.SO_SNDBUF):
            narrow.setsockopt(standard_socket.SOL_SOCKET, buffer, 4096)
        narrow.connect(("127.0.0.1", room.port))
        async with room.connect(bad.test, sock=narrow, compression=None) as wire:
            await hello(wire, games=1)
            message = await turn_of(wire)
            text = json.dumps(
                {"type": "act", "game": message["game"] * ROWS, "turn": [-1] * ROWS, "action": [0] * ROWS}
            )
            wire.transport.pause_reading()
            try:
                while True:
                    await wire.send(text)
                    await asyncio.sleep(0)
                    most["sent"] += 1
            finally:
                wire.transport.abort()

    async def watch() -> None:
        while True:
            for wire in list(room.server.wires):
                most["unread"] = max(most["unread"], wire.outbox.qsize())
            for session in list(room.server.engine.sessions.values()):
                most["unplayed"] = max(most["unplayed"], session.unplayed)
            await asyncio.sleep(0.005)

    def full() -> bool:
        """Does the server keep as much of it as it ever does, and no longer listen?"""
        wires, sessions = list(room.server.wires), list(room.server.engine.sessions.values())
        unread = any(wire.outbox.qsize() > socket.UNREAD for wire in wires)
        return unread or any(session.unplayed > socket.UNPLAYED for session in sessions)

    async def both() -> None:
        tasks = [asyncio.create_task(flood()), asyncio.create_task(watch())]
        before = -1
        while not full() or most["sent"] > before:  # until it can send no more
            before = most["sent"]
            await asyncio.sleep(1.0)
            assert not tasks[0].done()
        await play(room, good.test)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    asyncio.run(both())
    assert most["unplayed"] <= socket.UNPLAYED + ROWS
    assert 0 < most["unread"] <= socket.UNREAD + 2 * (socket.UNPLAYED + ROWS)  # a refused move is answered twice
    assert most["sent"] * ROWS > 2 * most["unread"]  # it sent more than is kept


def test_connections_that_say_nothing_are_closed_and_harm_no_other(room: Room) -> None:
    (_, keys), (_, other) = room.enter("silent"), room.enter("beside them")
    threads = threading.active_count()

    async def silent() -> bool:
        async with room.connect(keys.test) as wire:
            try:
                await asyncio.wait_for(wire.recv(), PATIENCE)
            except ConnectionClosed as closed:
                return closed.rcvd is not None and closed.rcvd.reason == "no hello"
        return False

    async def crowd() -> list[bool]:
        ends = [asyncio.create_task(silent()) for _ in range(IDLE)]
        await until(lambda: len(room.timing.sleeping_until) == IDLE)  # all are connected and say nothing
        await play(room, other.test)
        assert threading.active_count() < threads + IDLE / 10  # none is held for a connection
        room.timing.advance(socket.HELLO - 1)
        assert not any(end.done() for end in ends)
        room.timing.advance(1)
        return await asyncio.gather(*ends)

    assert all(asyncio.run(crowd()))
    wait_for(lambda: not room.server.wires)


def test_bytes_are_no_message_and_what_a_client_says_of_time_is_ignored(room: Room) -> None:
    _, keys = room.enter("clock")

    async def skewed() -> None:
        async with room.connect(keys.test) as wire:
            await hello(wire, games=1)
            welcome, message = await hear(wire), await turn_of(wire)
            await wire.send(b"\x00\xff")
            assert (await hear(wire))["code"] == "malformed"
            full = welcome["clock"]["move"] + welcome["clock"]["bank"]
            while message["type"] == "turns":
                assert message["seconds_left"] == [full]
                await wire.send(moves(message, at=-1e12, seconds_left=[1e9], now="1970-01-01"))
                message = await hear(wire)

    asyncio.run(skewed())


def test_answers_of_rated_games_leave_at_the_same_moment_whoever_the_partner_is(room: Room) -> None:
    timing, asked, wait = room.timing, room.agents / "asked", room.agents / "wait"

    async def answer(wire: ClientConnection, since: float) -> dict[str, Any]:
        """The next views; they must leave exactly so long after `since`, when a message of ours came."""
        await until(lambda: timing.sleeping_until == [since + FLOOR])
        timing.advance(since + FLOOR - timing.at)
        return await turn_of(wire)

    async def turns(challenge: str, slow: bool) -> None:
        _, keys = room.enter("timer", challenge)
        async with room.connect(keys.evaluation) as wire:
            await hello(wire, parallel=1)
            message = await answer(wire, timing.at)
            for _ in range(3):
                began = timing.at
                if slow:
                    asked.unlink(missing_ok=True)
                    wait.touch()
                await wire.send(moves(message))
                if slow:
                    await until(asked.exists)
                    timing.advance(THOUGHT)
                    wait.unlink()
                message = await answer(wire, began)

    asyncio.run(turns("quick-partner", slow=False))
    asyncio.run(turns("slow-partner", slow=True))


def test_a_server_that_is_about_to_stop_begins_nothing(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room.server.engine, "draining", False)  # and afterwards it goes on for the other tests
    (_, here), (_, late) = room.enter("here"), room.enter("late")

    async def stop() -> None:
        async with room.connect(here.test) as wire:
            await hello(wire)
            message = await turn_of(wire)
            room.server.engine.draining = True
            await wire.send(moves(message))
            await turn_of(wire)  # what runs goes on
        async with room.connect(late.test) as wire:
            await hello(wire)
            refusal = await hear(wire)
            assert (refusal["status"], refusal["code"]) == (503, "draining")

    asyncio.run(stop())


def test_whoever_is_told_that_the_connection_closes_sees_it_close(room: Room) -> None:
    """A round that fails loses what it held in memory; the client comes again and goes on at the same turn."""
    _, keys = room.enter("sent away")

    def broken(_: Any) -> None:
        raise RuntimeError("something of ours")

    async def sent_away() -> None:
        async with room.connect(keys.evaluation) as wire:
            await hello(wire, parallel=1)
            before = await turn_of(wire)
            (session,) = [one for one in room.server.engine.sessions.values() if one.kind == "eval"]
            room.server.engine.submit(Command(broken, session))
            last = {}
            with contextlib.suppress(ConnectionClosed):
                while True:
                    last = await hear(wire)
            assert (last["type"], last["retry_after"]) == ("closing", 1)
            assert wire.close_code == CLOSE_AGAIN
        async with room.connect(keys.evaluation) as wire:
            await hello(wire, parallel=1)
            assert (await turn_of(wire))["game"] == before["game"]

    asyncio.run(sent_away())
