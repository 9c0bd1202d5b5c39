"""How quickly does a challenge server answer? Starts one, plays an attempt, then loads it with many clients.

    python benchmarks/challenge_server.py --games 1000
    python benchmarks/challenge_server.py --clients 20 --parallel 10 --seconds 600

The first line is an attempt of one client that plays legal moves at random, all games at once. The second is many
clients at once with a few games each: time from sending a move to the next view of the game.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
from coplay_client import AsyncEvaluationSpace, EvaluationSpace, register

RULES = """
title = "Benchmark"
auto_approve = true
parallel = 1000
[[configuration]]
name = "2p"
players = 2
games = {games}
partners = [{partners}]
rehearsal = [{partners}]
"""


def start_server(folder: Path, games: int, partners: list[str]) -> tuple[subprocess.Popen[bytes], str]:
    """A server in its own process, with one challenge."""
    (folder / "bench.toml").write_text(RULES.format(games=games, partners=", ".join(map(json.dumps, partners))))
    run = [sys.executable, "-m", "coplay"]
    database = ["--database", f"sqlite:///{folder}/bench.db"]
    for command in (["challenge", "new", str(folder / "bench.toml")], ["challenge", "open", "bench"]):
        subprocess.run([*run, *command, *database], check=True, capture_output=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([*run, "serve", *database, "--port", str(port)], stderr=log, stdout=log)
    address = f"http://127.0.0.1:{port}"
    while True:
        try:
            httpx.get(f"{address}/healthz").raise_for_status()
            return process, address
        except httpx.HTTPError:
            time.sleep(0.2)


def enter(address: str, name: str):
    return register(address, "bench", name=name, method="legal moves at random", contact="-", human_data="none")


def attempt(address: str, name: str) -> tuple[float, int]:
    """Seconds and moves of a whole attempt."""
    rng, moves, began = np.random.default_rng(0), 0, time.perf_counter()
    with EvaluationSpace(enter(address, name).evaluation, address, progress=False) as space:
        for batch in space:
            moves += len(batch)
            batch.act(np.where(batch.legal, rng.random(batch.legal.shape), -1).argmax(1))
    return time.perf_counter() - began, moves


async def client(address: str, key: str, parallel: int, until: float, waits: list[float]) -> None:
    """Rehearses until the time is over, and notes how long each move waited for its answer."""
    rng = np.random.default_rng(0)
    while time.monotonic() < until:
        sent: dict[int, float] = {}
        async with AsyncEvaluationSpace(key, address, parallel=parallel, games=parallel, progress=False) as space:
            async for batch in space:
                now = time.perf_counter()
                waits += [now - sent.pop(game) for game in batch.games.tolist() if game in sent]
                sent |= dict.fromkeys(batch.games.tolist(), time.perf_counter())
                await batch.act(np.where(batch.legal, rng.random(batch.legal.shape), -1).argmax(1))
                if time.monotonic() > until:
                    return


def memory(pid: int) -> float:
    """MiB that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


async def load(address: str, pid: int, clients: int, parallel: int, seconds: float) -> None:
    keys = [enter(address, f"client {number}").test for number in range(clients)]
    waits: list[float] = []
    for warm, span in ((True, 20.0), (False, seconds)):
        waits.clear()
        until, before = time.monotonic() + span, memory(pid)
        await asyncio.gather(*(client(address, key, parallel, until, waits) for key in keys))
        if not warm:
            p50, p99 = np.quantile(waits, [0.5, 0.99]) * 1000
            print(
                f"{clients} clients with {parallel} games each, {seconds:g} s: {len(waits)} moves, "
                f"answer p50 {p50:.0f} ms, p99 {p99:.0f} ms; memory {before:.0f} to {memory(pid):.0f} MiB"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--parallel", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--partners", nargs="+", default=["pool:hanabi-2p-ippo-0", "pool:hanabi-2p-ippo-1"])
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        process, address = start_server(Path(name), given.games, given.partners)
        try:
            for which in ("first, with compilation", "second"):
                seconds, moves = attempt(address, f"attempt {which}")
                print(
                    f"{given.games} games, {which}: {seconds:.1f} s, {moves / seconds:.0f} moves a second", flush=True
                )
            asyncio.run(load(address, process.pid, given.clients, given.parallel, given.seconds))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


if __name__ == "__main__":
    main()
