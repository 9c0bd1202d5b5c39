"""Several processes of this machine that share work: plain agents hold Python's lock, so threads would not help."""

from __future__ import annotations

import dataclasses
import os
import pickle
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from coplay.rollouts.where import Task, WorkerLost

TRIES = 3  # how often in a row processes may be killed with nothing done between


@dataclasses.dataclass(frozen=True)
class Local:
    """So many processes."""

    processes: int = 1

    @property
    def alone(self) -> bool:
        return self.processes == 1

    def share(self, tasks: Sequence[Task], aside: Task | None = None) -> Iterator[Any]:
        """When a process is killed all of them end; new ones do what was not done."""
        left = dict(enumerate(tasks))
        besides = [] if aside is None else [aside]
        killed = 0
        while left or besides:
            try:
                with processes(min(self.processes, len(left) + len(besides))) as pool:
                    beside = [pool.submit(task) for task in besides]
                    running = {pool.submit(task): number for number, task in left.items()}
                    for done in as_completed(list(running)):
                        found = done.result()
                        del left[running.pop(done)]  # here too, so that what it came to is not held for ever
                        killed = 0
                        yield found
                    for one in beside:
                        one.result()
                    besides = []
            except BrokenProcessPool as error:
                killed += 1
                if killed == TRIES:
                    raise WorkerLost(
                        f"one of {self.processes} processes was killed, {TRIES} times with nothing done between, "
                        "perhaps for lack of memory; try again with fewer --jobs."
                    ) from error


@contextmanager
def processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """Gives so many processes, and drops what they have not begun when something goes wrong."""
    # Spawned, because a fork of a running JAX can hang.
    with _Pool(number, get_context("spawn"), initializer=_one_thread) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@contextmanager
def meanwhile(aside: Task | None) -> Iterator[None]:
    """Beside a cluster, in a process of this machine: it writes into a folder that nodes may not have."""
    if aside is None:
        yield
        return
    with processes(1) as pool:
        beside = pool.submit(aside)
        yield
        try:
            beside.result()
        except BrokenProcessPool as error:
            raise WorkerLost("the process beside the cluster was killed, perhaps for lack of memory.") from error


class _Pool(ProcessPoolExecutor):
    """One in which an error that cannot travel does not take the process down with it."""

    def submit(self, work: Any, /, *given: Any, **named: Any) -> Future[Any]:
        return super().submit(told, work, *given, **named)


def told(work: Any, *given: Any, **named: Any) -> Any:
    """Does the work; an error that cannot be sent is told in words."""
    try:
        return work(*given, **named)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError(f"{type(error).__name__}: {error}") from None
        raise


def environment(cores: int = 1, gpus: float = 0) -> dict[str, str]:
    """Of a worker: the workers fill the cores; threads on top of them would only get in each other's way."""
    flags = os.environ.get("XLA_FLAGS", "")
    found = {"XLA_FLAGS": f"{flags} --xla_cpu_multi_thread_eigen=false".strip()} if cores == 1 and not gpus else {}
    if not gpus:
        return {"JAX_PLATFORMS": "cpu", **found}
    return {"XLA_PYTHON_CLIENT_MEM_FRACTION": f"{0.9 * gpus:.2f}"} if gpus < 1 else {}


def _one_thread() -> None:
    os.environ.update(environment())
