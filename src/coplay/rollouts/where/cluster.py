"""A Ray cluster that shares work: `ray` is the one that RAY_ADDRESS names, or a new one on the cores of this machine;
`ray://host:port` is one that is elsewhere.

Ray schedules the tasks, and does a task again where its worker or its node was lost. coplay has to be installed on
every node, the same version; what a spec names by a path (`run:`, `file:`) has to be there under the same path.
"""

from __future__ import annotations

import dataclasses
import logging
import os
import pickle
import socket
import sys
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from coplay import __version__
from coplay.rollouts.where import RAY, Task, WhereError, WorkerLost
from coplay.rollouts.where.local import environment, meanwhile, told
from coplay.specs import options_of, parse, read_options

TRIES = 10  # workers that one task may lose
FEWEST = 256  # tasks that Ray is given at once; twice as many as there are cores, if those are more
KNOCK = 20  # seconds that an address may take to answer
PLATFORMS = "JAX_PLATFORMS"  # of this process; a job says itself whether it wants a GPU
KEPT = "JAX_"  # how variables begin that workers have as this process has them: where compiled programs are kept


def cluster(text: str) -> Cluster:
    """The place that a text names: ray, ray://HOST:PORT, ray?gpus=1&cores=4."""
    address, _, _ = text.partition("?")
    own = {name: option for name, option in options_of(Cluster).items() if name != "address"}
    given = parse(f"{RAY}{text[len(address) :]}").options
    place = Cluster(address.removeprefix(RAY) and address, **read_options(given, own, text, WhereError))
    if place.cores < 0 or place.gpus < 0:
        raise WhereError(f"--on {text}: cores and gpus are 0 or more.")
    return place


@dataclasses.dataclass(frozen=True)
class Cluster:
    """The cluster at an address; without one that of RAY_ADDRESS, or a new one."""

    address: str = ""
    cores: int = 1  # of a job
    gpus: float = 0.0  # of a job; half a one shares it with another

    @property
    def alone(self) -> bool:
        return False

    def share(self, tasks: Sequence[Task], aside: Task | None = None) -> Iterator[Any]:
        if not tasks and aside is None:
            return
        with _connected(self.address) as ray, meanwhile(aside):
            try:
                yield from _done(ray, self, tasks)
            except ray.exceptions.RayTaskError as error:
                raise getattr(error, "cause", error) from None  # as where it is done in a process
            except (ray.exceptions.RayError, ConnectionError) as error:
                raise WorkerLost(
                    f"Ray gave up ({_first_line(error)}). A task is tried on {TRIES + 1} workers, so either it kills "
                    "them, perhaps for lack of memory, or the cluster itself is gone."
                ) from error


def _done(ray: Any, place: Cluster, tasks: Sequence[Task]) -> Iterator[Any]:
    """A window of tasks is with Ray, so that a plan of millions does not fill its memory."""
    # Of a variable of its own a study gets workers of its own: they have read no file before it began.
    kept = {name: value for name, value in os.environ.items() if name.startswith(KEPT) and name != PLATFORMS}
    variables = kept | environment(place.cores, place.gpus) | {"COPLAY_STUDY": uuid.uuid4().hex}
    _warn_of_room(ray, place)
    work = ray.remote(_work).options(
        num_cpus=place.cores,
        num_gpus=place.gpus,
        max_retries=TRIES,
        scheduling_strategy="SPREAD",
        runtime_env={"env_vars": variables},
    )
    most = max(FEWEST, 2 * int(ray.cluster_resources().get("CPU", 0)))
    left, running = iter(tasks), set()
    try:
        while True:
            for task in islice(left, most - len(running)):
                running.add(work.remote(pickle.dumps(task), __version__, os.getcwd()))
            if not running:
                return
            ray.wait(list(running), num_returns=1)
            for one in ray.wait(list(running), num_returns=len(running), timeout=0)[0]:
                running.remove(one)
                yield ray.get(one)
    finally:
        for one in running:
            ray.cancel(one)


def _warn_of_room(ray: Any, place: Cluster) -> None:
    """Ray waits for what no node has: for ever, unless somebody adds a node."""
    for what, wanted in (("CPU", place.cores), ("GPU", place.gpus)):
        most = max((node["Resources"].get(what, 0) for node in ray.nodes() if node["Alive"]), default=0)
        if wanted > most:
            told = f"a job wants {wanted:g} {what}s, and no node of the cluster has more than {most:g} yet"
            print(f"{told}; waiting for one.", file=sys.stderr, flush=True)


def _work(task: bytes, version: str, folder: str) -> Any:
    """On a node. The task is taken out of its wrapping after the versions were compared."""
    if version != __version__:
        raise WhereError(
            f"a node of the cluster has coplay {__version__}, this machine {version}; install the same on all."
        )
    if os.path.isdir(folder):  # paths in specs are told from there
        os.chdir(folder)
    return told(pickle.loads(task))


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Ray, connected; a program that is connected already keeps its connection."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # else it warns of what does not concern us
    try:
        import ray  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise WhereError(f"{error}; --on ray needs more packages: pip install 'coplay[ray]'.") from error
    if ray.is_initialized():
        yield ray
        return
    address = address or os.environ.get("RAY_ADDRESS", "") or "local"
    _knock(address)
    new: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    try:
        ray.init(address, log_to_driver=False, logging_level=logging.ERROR, **new)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise _no_cluster(address, error) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Ray itself would try for minutes where nobody listens."""
    host, colon, port = address.rpartition("//")[2].rpartition(":")
    if not colon:  # "local" or "auto", which Ray looks up
        return
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=KNOCK).close()
    except (OSError, ValueError) as error:
        raise _no_cluster(address, error) from error


def _no_cluster(address: str, error: Exception) -> WhereError:
    return WhereError(
        f"no Ray cluster answers at {address} ({_first_line(error)}); start one with `ray start --head`, or see "
        "whether host and port are right (--on ray takes RAY_ADDRESS, with the port 6379; the port of ray:// is 10001)."
    )


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
