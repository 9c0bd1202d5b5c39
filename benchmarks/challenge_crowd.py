"""Who else is on a challenge server: visitors who sit down to games that nobody has played before, and connections that
ask for nothing. For benchmarks/challenge_load.py; everybody comes from addresses of this machine, 127.1.x.y.

They are a process of their own, of low priority: in the world they have computers of their own, and here they should
take as little as can be from the two that are measured, the server and the entrants. To the server they do the same.

    python benchmarks/challenge_crowd.py PORT VISITORS IDLE   # comes when a line is sent, tells a line every second
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import itertools
import json
import os
import random
import socket
import sys
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from coplay.faces import Offer
from coplay.games import make
from coplay.serve.pages.games import as_json, choices, people_of_worlds

HALF_A_REQUEST = b"GET /healthz HTTP/1.1\r\nHost: x\r\n"
ADDRESSES = 100  # that idle connections come from: one has 256 at most
NICE = 10
A_PERSON_THINKS = 1.0  # seconds before each move
WANTED = ["view", "legal"]  # as the page of a table asks
Kind = tuple[str, dict[str, str], int, str]  # game, settings, seats of partners, partner


def kinds(most: int) -> list[Kind]:
    """Games that visitors may choose, each with other programs to compile; in an order drawn with a fixed seed."""
    offers = [offer for people in people_of_worlds().values() for offer in people.offers]
    found = [
        (offer, values) for offer in offers for values in itertools.product(*(one.values for one in offer.settings))
    ]
    random.Random(0).shuffle(found)
    if len(found) < most:
        raise SystemExit(f"--visitors {most}: there are {len(found)} kinds of tables; give fewer.")
    return [_kind(*one) for one in found[:most]]


def _kind(offer: Offer, values: tuple[Any, ...]) -> Kind:
    named = {setting.name: value for setting, value in zip(offer.settings, values, strict=True)}
    given = {name: value for name, value in named.items() if value is not None}
    partners = [choice.spec for choice in choices(offer.game, as_json(given))]
    partner = offer.partner if offer.partner in partners else partners[0]
    form = {name: str(value) for name, value in named.items()}
    return offer.game, form, make(offer.game, **given).players - 1, partner


class Crowd:
    """The crowd, seen from the program that measures."""

    def __init__(self, visitors: int, idle: int) -> None:
        self.visitors, self.idle, self.told = visitors, idle, "nobody has come"
        self._process: Any = None
        self._listening: Any = None

    async def gather(self, port: int) -> None:
        """They wait before the door."""
        command = [sys.executable, str(Path(__file__)), str(port), str(self.visitors), str(self.idle)]
        pipe = asyncio.subprocess.PIPE
        self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
        await self._process.stdout.readline()

    def come(self) -> None:
        self._process.stdin.write(b"come\n")
        self._listening = asyncio.create_task(self._listen())

    async def _listen(self) -> None:
        while line := await self._process.stdout.readline():
            self.told = line.decode().strip()
        raise SystemExit("the crowd has broken down")

    def check(self) -> None:
        if self._listening.done():
            self._listening.result()

    async def leave(self) -> None:
        self._listening.cancel()
        self._process.terminate()
        await self._process.wait()


class People:
    """Visitors and idle connections, and what became of them."""

    def __init__(self, visitors: int, idle: int) -> None:
        self.kinds, self.wanted = kinds(visitors), idle
        self.port = 0
        self.sat = self.begun = self.moves = 0  # visitors at a table, with a game that began; their moves
        self.idle = self.opened = 0  # idle connections now, and ever
        self.refused: list[str] = []
        self.tasks: list[asyncio.Task[None]] = []

    def come(self, port: int) -> None:
        self.port = port
        own = [self._visit(number, kind) for number, kind in enumerate(self.kinds)]
        silent = [self._say_nothing(number) for number in range(self.wanted)]
        self.tasks = [asyncio.create_task(one) for one in (*own, *silent)]

    async def stay(self) -> None:
        """For good, or until something breaks."""
        while True:
            await asyncio.sleep(1)
            for task in self.tasks:
                if task.done():
                    task.result()
            print(self.told(), flush=True)

    def told(self) -> str:
        text = f"{self.sat} visitors at tables, {self.begun} of their games compiled and begun, {self.moves} moves"
        idle = f"{self.idle} idle connections ({self.opened} opened: what says nothing is ended and comes again)"
        return f"{text}; {idle}{'; refused: ' + self.refused[0] if self.refused else ''}"

    async def _visit(self, number: int, kind: Kind) -> None:
        """Lays a table of a kind of its own, waits till it is compiled, and plays there."""
        game, settings, others, partner = kind
        here = f"127.1.200.{number + 1}"
        form = {"game": game, "seat": "0", "partner": [partner] * others} | settings
        async with httpx.AsyncClient(transport=httpx.AsyncHTTPTransport(local_address=here), timeout=600) as web:
            laid = await web.post(f"http://127.0.0.1:{self.port}/play", data=form)
        if laid.status_code != 303:
            self.refused.append(f"{kind}: {laid.status_code}")
            return
        self.sat += 1
        hello = {
            "type": "hello",
            "version": 1,
            "key": laid.headers["location"].partition("#")[2],
            "turns": "all",
            "want": WANTED,
        }
        address = f"ws://127.0.0.1:{self.port}/v1/socket"
        async with connect(address, local_addr=(here, 0), max_size=None, ping_timeout=None) as wire:
            await wire.send(json.dumps(hello))
            first, actions = True, 0
            async for text in wire:
                message = json.loads(text)
                if message["type"] == "welcome":
                    actions = next(iter(message["configurations"].values()))["actions"]
                elif message["type"] == "turns" and any(message["mine"]):
                    self.begun, first = self.begun + first, False
                    await asyncio.sleep(A_PERSON_THINKS)
                    await wire.send(json.dumps(_answer(message, actions)))
                    self.moves += 1
                elif message["type"] == "over":
                    return

    async def _say_nothing(self, number: int) -> None:
        """A connection that is ended by the server, and opened again, for ever: silent, or in the middle of a request,
        or a WebSocket without hello."""
        here = (f"127.1.100.{number % ADDRESSES + 1}", 0)
        while True:
            with contextlib.suppress(OSError, ConnectionClosed, TimeoutError, EOFError):
                if number % 5 == 0:
                    await self._open_a_socket(here)
                else:
                    await self._open(here, HALF_A_REQUEST if number % 2 else b"")
            await asyncio.sleep(0.1)

    async def _open(self, here: tuple[str, int], said: bytes) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=here, family=socket.AF_INET)
        with self._one_more(), contextlib.closing(writer):
            writer.write(said)
            await reader.read()

    async def _open_a_socket(self, here: tuple[str, int]) -> None:
        address = f"ws://127.0.0.1:{self.port}/v1/socket"
        async with connect(address, local_addr=here, ping_timeout=None, open_timeout=60) as wire:
            with self._one_more():
                await wire.wait_closed()

    @contextlib.contextmanager
    def _one_more(self) -> Any:
        self.idle, self.opened = self.idle + 1, self.opened + 1
        try:
            yield
        finally:
            self.idle -= 1


def _answer(message: dict[str, Any], actions: int) -> dict[str, Any]:
    packed = np.frombuffer(base64.b64decode(message["legal"]), np.uint8).reshape(len(message["game"]), -1)
    mine = [row for row, own in enumerate(message["mine"]) if own]
    legal = np.unpackbits(packed, axis=1, count=actions)
    return {
        "type": "act",
        "game": [message["game"][row] for row in mine],
        "turn": [message["turn"][row] for row in mine],
        "seat": [message["seat"][row] for row in mine],
        "action": [int(np.flatnonzero(legal[row])[0]) for row in mine],
    }


async def _main(port: int, visitors: int, idle: int) -> None:
    people = People(visitors, idle)
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    people.come(port)
    await people.stay()


if __name__ == "__main__":
    os.nice(NICE)
    asyncio.run(_main(*map(int, sys.argv[1:])))
