"""Cross-play in one process, in two, on Ray, on Slurm: wall time side by side, and what a thousand agents would cost.

    python benchmarks/scale.py                  # Ray and Slurm where they are: pip install 'coplay[ray]', sbatch
    python benchmarks/scale.py --jobs           # what a worker, a job and a row of its driver cost of a processor

The places play the same cross-play, each in a program of its own with imports and, on Ray, the start of the cluster
(unless RAY_ADDRESS names one that runs). What was compiled is kept by first runs that do not count: one process and
several compile for other numbers of threads. Every place must write the same games.csv.

Wall times say something on a quiet machine only, with a core for every worker. So the load before each run is printed
with it, and the seconds of processors that its programs took, which others hardly change: what several processes take
more than one is the price of sharing, and their seconds divided by the workers are what quiet cores would need at best.
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
from shutil import which
from typing import NamedTuple

from coplay.games import make
from coplay.measure.crossplay import CrossPlayFolder, _row
from coplay.measure.study.cast import cast
from coplay.measure.study.playing import Venue, play_job
from coplay.measure.study.runner import DoneJob, Job
from coplay.rollouts.where.local import environment

PLACES = ["local:1", "local:2"]
SCRIPTED = ["iggi", "piers", "smartbot", "information"]
MIXED = ["iggi", "hgroup", "smartbot"]  # one of plain Python, which takes nearly all of the time
KINDS = [*SCRIPTED, "pool:hanabi-2p-ippo-0", "hgroup"]
COPIES = 100  # of a job's rows, to see what a row costs
ROWS = 1000


class Took(NamedTuple):
    wall: float
    processors: float  # seconds of all programs that this one began; those of Ray and Slurm are not among them
    load: float  # how many others wanted a core before


def compare(agents: list[str], games: int, places: list[str]) -> None:
    """Prints a line per place."""
    print(f"{len(agents) ** 2} pairs of {games:,} games, {os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as home:
        base = Path(home)
        for place in PLACES:
            _run(agents, games, place, base / f"first-{place}", base)
        alone, told = None, b""
        for place in places:
            took = _run(agents, games, place, base / place, base)
            rows = (base / place / "games.csv").read_bytes()
            alone, told = alone or took, told or rows
            assert rows == told, f"{place} found something else"
            words = (
                f"{place:8} {took.wall:6.1f} s, {alone.wall / took.wall:.2f} times as quick as {places[0]}, same games"
            )
            inside = f"; {took.processors:.1f} s of processors" if place.startswith("local") else ""
            print(f"{words}{inside}; load before {took.load:.1f}")


def _places() -> list[str]:
    slurm = ["slurm"] if which("sbatch") and find_spec("submitit") else []
    return [*PLACES, *(["ray"] if find_spec("ray") else []), *slurm]


def _run(agents: list[str], games: int, place: str, out: Path, home: Path) -> Took:
    words = ["crossplay", *agents, "--players", "2", "--games", str(games), "--on", place, "--out", str(out)]
    load, begun, before = os.getloadavg()[0], time.monotonic(), _processors()
    subprocess.run(
        [sys.executable, "-m", "coplay", *words],
        check=True,
        capture_output=True,
        env=os.environ | {"XDG_CACHE_HOME": str(home)},
    )
    return Took(time.monotonic() - begun, _processors() - before, load)


def _processors() -> float:
    """Seconds of the programs that this one began and that have ended, with those that they began."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def cost(agents: list[str]) -> None:
    """Prints what a job of 1,000 games takes of one processor, once all is compiled, and a row of its driver."""
    os.environ.update(environment())
    game = make("hanabi", players=2)
    venue = Venue(game, cast(game, agents), _row)
    done = None
    print(f"a worker until its first job: {time.process_time():.2f} s of a processor")
    for agent in agents:
        job = Job(("0-0",), agent, (agent, agent), 0, range(ROWS))
        times = [time.process_time()]
        for _ in range(2):
            done = play_job(venue, job)
            times.append(time.process_time())
        first, again = times[1] - times[0], times[2] - times[1]
        first = max(first, again)  # of plain agents nothing is compiled
        print(f"{agent:24} {again:7.2f} s of a processor for {ROWS:,} games, {first - again:.2f} s more for the first")
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
    parser.add_argument("--places", nargs="+", help="for example local:1 local:4 slurm")
    given = parser.parse_args()
    if given.jobs:
        cost(given.agents or KINDS)
    else:
        compare(given.agents or MIXED, given.games, given.places or _places())
