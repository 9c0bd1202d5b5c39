"""Cross-play in one process, in two, and on Ray: wall time side by side, and what a thousand agents would cost.

    python benchmarks/scale.py                  # Ray where it is installed: pip install 'coplay[ray]'
    python benchmarks/scale.py --jobs           # what a job and a row of its driver cost of a processor

The places play the same cross-play, each in a program of its own with imports and, on Ray, the start of the cluster
(unless RAY_ADDRESS names one that runs). What was compiled is kept by first runs that do not count: one process and
several compile for other numbers of threads. Every place must write the same games.csv.
"""

from __future__ import annotations

import argparse
import os
import pickle
import resource
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

from coplay.games import make
from coplay.measure.crossplay import CrossPlayFolder, _row
from coplay.measure.study.cast import cast
from coplay.measure.study.playing import Venue, play_job
from coplay.measure.study.runner import DoneJob, Job
from coplay.rollouts.where.local import environment

PLACES = ["local:1", "local:2", "ray"]
SCRIPTED = ["iggi", "piers", "smartbot", "information"]
KINDS = [*SCRIPTED, "pool:hanabi-2p-ippo-0", "hgroup"]
COPIES = 100  # of a job's rows, to see what a row costs
ROWS = 1000


def compare(agents: list[str], games: int) -> None:
    """Prints a line per place."""
    print(f"{len(agents) ** 2} pairs of {games:,} games, load average {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as home:
        base = Path(home)
        for place in PLACES[:2]:
            _run(agents, games, place, base / f"first-{place}", base)
        alone, told = 0.0, b""
        for place in PLACES if find_spec("ray") else PLACES[:2]:
            seconds = _run(agents, games, place, base / place, base)
            rows = (base / place / "games.csv").read_bytes()
            alone, told = alone or seconds, told or rows
            assert rows == told, f"{place} found something else"
            print(f"{place:8} {seconds:6.1f} s  {alone / seconds:.2f} times as quick as in one process, same games.csv")


def _run(agents: list[str], games: int, place: str, out: Path, home: Path) -> float:
    words = ["crossplay", *agents, "--players", "2", "--games", str(games), "--on", place, "--out", str(out)]
    begun = time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "coplay", *words],
        check=True,
        capture_output=True,
        env=os.environ | {"XDG_CACHE_HOME": str(home)},
    )
    return time.monotonic() - begun


def cost(agents: list[str]) -> None:
    """Prints what a job of 1,000 games takes of one processor, once all is compiled, and a row of its driver."""
    os.environ.update(environment())
    game = make("hanabi", players=2)
    venue = Venue(game, cast(game, agents), _row)
    done = None
    for agent in agents:
        job = Job(("0-0",), agent, (agent, agent), 0, range(ROWS))
        play_job(venue, job)
        begun = time.process_time()
        done = play_job(venue, job)
        print(f"{agent:24} {time.process_time() - begun:7.2f} s of a processor for {ROWS:,} games")
    assert done is not None
    _driver(done)


def _driver(done: DoneJob) -> None:
    """What comes back is unpacked, kept in memory, written, and in the end written in order."""
    with tempfile.TemporaryDirectory() as home:
        folder = CrossPlayFolder(home)
        (folder / "games.csv").touch()
        sent, kept, before = pickle.dumps(done), [], _memory()
        begun = time.process_time()
        for _ in range(COPIES):
            kept.append(pickle.loads(sent).rows)
            folder.append(kept[-1])
        folder.keep(kept)
        each = (time.process_time() - begun) / COPIES / ROWS
        size = (folder / "games.csv").stat().st_size / COPIES / ROWS
        memory = (_memory() - before) / COPIES / ROWS
    print(f"a row of the driver: {each * 1e6:.1f} µs of a processor, {memory:.0f} bytes of memory, {size:.0f} of disk,")
    print(f"{len(sent) / ROWS:.0f} over the network")


def _memory() -> int:
    """Bytes, at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", action="store_true", help="what a job and a row cost, instead of the places")
    parser.add_argument("--agents", nargs="+")
    parser.add_argument("--games", type=int, default=1000)
    given = parser.parse_args()
    if given.jobs:
        cost(given.agents or KINDS)
    else:
        compare(given.agents or SCRIPTED, given.games)
