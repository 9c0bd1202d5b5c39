"""How long does an attempt take? Starts a server and plays two, all games at once, legal moves at random.

    python benchmarks/challenge_server.py --games 1000

Many clients at once, and for long: benchmarks/challenge_load.py.
"""

from __future__ import annotations

import argparse
import json
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
import numpy as np
from coplay_client import EvaluationSpace, register

RULES = """
title = "Benchmark"
answer_floor = 0
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
            if process.poll() is not None:
                sys.exit(f"the server ended:\n{(folder / 'log').read_text()}")
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=1000)
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
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


if __name__ == "__main__":
    main()
