"""Several processes that share work: plain agents hold Python's lock, so threads would not help them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context

from coplay.measure import MeasureError


@contextmanager
def processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """Gives so many processes, and drops what they have not begun when something goes wrong."""
    # Spawned, because a fork of a running JAX can hang.
    with ProcessPoolExecutor(number, get_context("spawn"), initializer=_one_thread) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            raise MeasureError(
                f"one of {number} processes was killed, perhaps for lack of memory; try again with fewer --jobs."
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _one_thread() -> None:
    """The processes fill the cores; threads on top of them would only get in each other's way."""
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"
    os.environ["JAX_PLATFORMS"] = "cpu"
