"""A challenge server under load: many clients, each with many games at once, neural partners.

    python benchmarks/challenge_load.py                  # 20 clients x 10 games, one minute
    python benchmarks/challenge_load.py --minutes 10     # the soak: a line per minute, memory should stay flat
    python benchmarks/challenge_load.py --minutes 3 --visitors 50 --idle 500
                                                         # alone, then beside a crowd: p99 of both and their ratio

The server is `coplay serve` with a new database and nothing compiled; the clients share this process and the same
machine. Its memory and processor time are those of the process that entrants play with; all its processes are listed
beside the crowd. An answer's time is from sending a move to having the game's next view, over the socket,
in one game. At the end every move that was answered is looked up in the log, and every game that was told over.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
from challenge_crowd import Crowd
from sqlalchemy import func, select
from websockets.asyncio.client import connect

from coplay.serve.ledger.hosting import host
from coplay.serve.store.database import Database, open_database
from coplay.serve.store.models import Action, Attempt, Table

RULES = """
title = "Load"
answer_floor = 0
auto_approve = true
[clock]
move = 3600
bank = 3600
[[configuration]]
name = "2p"
game = "hanabi"
players = 2
games = 1000
partners = [{partners}]
"""
DISCARDS, HINTS = 5, 10  # action ids of two-player Hanabi: discards below 5, hints from 10


class Load:
    """What is measured."""

    def __init__(self) -> None:
        self.times: list[float] = []
        self.games = 0
        self.playing = 0  # clients that have their first views
        self.answered: dict[tuple[str, int, int], int] = {}  # attempt, game, turn -> action
        self.over: set[tuple[str, int]] = set()  # attempt, game

    def take(self) -> tuple[np.ndarray, int]:
        """Answer times in seconds and finished games since the last call."""
        times, games = np.asarray(self.times or [np.nan]), self.games
        self.times, self.games = [], 0
        return times, games


def choose(legal: np.ndarray) -> int:
    """Hints while it can and discards then: long games that nobody loses."""
    hints = np.flatnonzero(legal[HINTS:])
    return HINTS + int(hints[0]) if len(hints) else int(np.flatnonzero(legal)[0])


async def client(address: str, database: Database, number: int, parallel: int, load: Load) -> None:
    """Plays attempt after attempt until it is cancelled."""
    for attempt in range(10**6):
        with database.write() as transaction:
            _, keys = host.register(transaction, "load", f"client {number}, attempt {attempt}", "hints", "-", "none")
        assert keys is not None
        headers = {"Authorization": f"Bearer {keys.evaluation}"}
        async with connect(address, additional_headers=headers, max_size=None, ping_timeout=None) as wire:
            await _play(wire, parallel, load, first=attempt == 0)


async def _play(wire: Any, parallel: int, load: Load, first: bool) -> None:
    """One attempt."""
    await wire.send(json.dumps({"type": "hello", "version": 1, "parallel": parallel, "want": ["legal"]}))
    name, sent = "", {}
    async for text in wire:
        message, now = json.loads(text), time.perf_counter()
        if message["type"] == "welcome":
            name = message["attempt"]
        if message["type"] in ("turns", "over"):
            for game in message["game"]:
                if game in sent:
                    turn, action, when = sent.pop(game)
                    load.times.append(now - when)
                    load.answered[name, game, turn] = action
        if message["type"] == "turns":
            load.playing, first = load.playing + first, False
            moves = _moves(message)
            await wire.send(json.dumps(moves))
            now = time.perf_counter()
            columns = zip(moves["game"], moves["turn"], moves["action"], strict=True)
            sent |= {game: (turn, action, now) for game, turn, action in columns}
        elif message["type"] == "over":
            load.games += len(message["game"])
            load.over |= {(name, game) for game in message["game"]}
        elif message["type"] == "finished":
            break


def _moves(message: dict[str, Any]) -> dict[str, Any]:
    packed = np.frombuffer(base64.b64decode(message["legal"]), np.uint8).reshape(len(message["game"]), -1)
    actions = [choose(row) for row in np.unpackbits(packed, axis=1, count=20)]
    return {"type": "act", "game": message["game"], "turn": message["turn"], "action": actions}


def memory(process: int) -> float:
    """MB that the process holds in memory."""
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def memories(process: int) -> dict[str, float]:
    """MB of every process of the server, by what it does."""
    found = {"entrants": memory(process)}
    for child in _children(process):
        name = "people" if "coplay.serve.http.apart" in _command(child) else "compiler or partner"
        found[name] = found.get(name, 0.0) + memory(child)
    return found


def _children(process: int) -> list[int]:
    own = [
        int(one) for task in Path(f"/proc/{process}/task").iterdir() for one in (task / "children").read_text().split()
    ]
    return [*own, *(one for child in own for one in _children(child))]


def _command(process: int) -> str:
    return Path(f"/proc/{process}/cmdline").read_text()


def _told(found: dict[str, float]) -> str:
    return ", ".join(f"{name} {megabytes:.0f} MB" for name, megabytes in found.items())


def processor_seconds(process: int) -> float:
    """Processor time the process has used so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def run(arguments: argparse.Namespace, port: int, server: int, database: Database, crowd: Crowd | None) -> None:
    load = Load()
    address = f"ws://127.0.0.1:{port}/v1/socket"
    tasks = [
        asyncio.create_task(client(address, database, number, arguments.parallel, load))
        for number in range(arguments.clients)
    ]
    began = time.monotonic()
    if crowd is not None:
        await crowd.gather(port)
    while load.playing < arguments.clients or load.games < arguments.clients:  # everything is compiled and moving
        await asyncio.sleep(0.5)
        _raise_failed(tasks)
    print(f"all {arguments.clients} clients play after {time.monotonic() - began:.0f} s", flush=True)
    alone = await _measure(arguments, load, server, tasks, None)
    if crowd is not None:
        crowd.come()
        beside = await _measure(arguments, load, server, tasks, crowd)
        print(f"p99 beside the crowd is {beside / alone:.2f} times that alone")
        await crowd.leave()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    _check_nothing_lost(database, load)


async def _measure(
    arguments: argparse.Namespace, load: Load, server: int, tasks: list[asyncio.Task[None]], crowd: Crowd | None
) -> float:
    """So many minutes; returns the p99 of the answers."""
    load.take()
    everything, total, start, used = [], 0, time.monotonic(), processor_seconds(server)
    before = memory(server)
    while (passed := time.monotonic() - start) < arguments.minutes * 60:
        await asyncio.sleep(min(60.0, arguments.minutes * 60 - passed))
        _raise_failed(tasks)
        times, games = load.take()
        everything.append(times)
        total += games
        _line(f"minute {(time.monotonic() - start) / 60:.1f}", times, memory(server))
        if crowd is not None:
            crowd.check()
            print(f"  {crowd.told}; all processes of the server: {_told(memories(server))}", flush=True)
    seconds, times = time.monotonic() - start, np.concatenate(everything)
    where = "alone" if crowd is None else f"beside {arguments.visitors} visitors and {arguments.idle} idle connections"
    print(f"{arguments.clients} clients x {arguments.parallel} games {where}, partners {arguments.partners}:")
    p99 = _line("all", times, memory(server))
    print(f"{total / seconds:.1f} games/s, {len(times) / seconds:.0f} moves/s of entrants")
    print(f"server memory {before:.0f} MB at the start, {memory(server):.0f} MB at the end")
    spent = processor_seconds(server) - used
    print(f"{len(times) / spent:.0f} moves of entrants per processor-second of the server")
    share = f"the server had {spent / seconds:.2f} cores of {os.cpu_count()}"
    print(f"{share}; load average {os.getloadavg()[0]:.1f}", flush=True)
    return p99


def _check_nothing_lost(database: Database, load: Load) -> None:
    """What clients were told is in the log, and no rated game ended otherwise than by being played."""
    with database.read() as transaction:
        rated = select(Table).join(Attempt, Table.attempt_id == Attempt.id).where(Attempt.kind == "eval")
        tables = {table.id: table for table in transaction.scalars(rated)}
        query = select(Action.table_id, Action.turn, Action.actions)
        logged = {
            (tables[id].attempt_id, tables[id].number, turn): int(action)
            for id, turn, action in transaction.execute(query)
            if id in tables
        }
        waits = transaction.scalar(select(func.count()).where(Table.status == "stuck"))
    lost = [move for move, action in load.answered.items() if logged.get(move) != action]
    done = {(table.attempt_id, table.number) for table in tables.values() if table.status == "done"}
    broken = [table for table in tables.values() if table.status in ("forfeit", "void")]
    undone = load.over - done
    print(
        f"{len(load.answered)} answered moves, {len(lost)} of them not in the log; {len(load.over)} games told over, "
        f"{len(undone)} of them not done; {len(broken)} games forfeited or void, {waits} deals stuck"
    )
    if lost or undone or broken or waits:
        raise SystemExit("something was lost")


def _line(what: str, times: np.ndarray, megabytes: float) -> float:
    p50, p99 = np.percentile(times, [50, 99]) * 1000
    print(f"{what}: answers p50 {p50:.0f} ms, p99 {p99:.0f} ms (n={len(times)}), server {megabytes:.0f} MB", flush=True)
    return float(p99)


def _raise_failed(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        if task.done():
            task.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--parallel", type=int, default=10, help="games at once of each client")
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--visitors", type=int, default=0, help="who then open tables, each of a kind of its own")
    parser.add_argument("--idle", type=int, default=0, help="connections that then ask for nothing")
    parser.add_argument("--partners", nargs="+", default=["pool:hanabi-2p-ippo-0", "pool:hanabi-2p-ippo-1"])
    parser.add_argument("--database", default="", help="postgresql://...; by default a new SQLite file")
    arguments = parser.parse_args()
    crowd = Crowd(arguments.visitors, arguments.idle) if arguments.visitors or arguments.idle else None
    with tempfile.TemporaryDirectory() as folder:
        url = arguments.database or f"sqlite:///{folder}/load.db"
        database = open_database(url)
        with database.write() as transaction:
            names = ", ".join(f'"{name}"' for name in arguments.partners)
            host.new_challenge(transaction, "load", RULES.format(partners=names))
            host.open_challenge(transaction, "load")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "coplay", "serve", "--database", url, "--port", str(port)]
        with (Path(folder) / "log").open("w") as log:
            fresh = os.environ | {"XDG_CACHE_HOME": folder}  # so that visitors' tables are to be compiled
            server = subprocess.Popen(command, cwd=folder, stderr=log, env=fresh)
        try:
            _wait(f"http://127.0.0.1:{port}/healthz", server)
            asyncio.run(run(arguments, port, server.pid, database, crowd))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
            database.close()


def _wait(address: str, server: subprocess.Popen[bytes]) -> None:
    while server.poll() is None:
        try:
            httpx.get(address, timeout=30).raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.2)
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    main()
