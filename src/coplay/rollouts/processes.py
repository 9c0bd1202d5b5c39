"""Several processes that share work: plain agents hold Python's lock, so threads would not help them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

from coplay.game import Game
from coplay.games import can_be_made_again, make, spec_of


class ProcessKilled(ValueError):
    """One of the processes that shared the work is gone."""


class Sent:
    """A game on its way to another process, where it arrives as the game itself: the class of a game from somebody's
    file is not known there, but its spec makes it again."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def __reduce__(self) -> tuple[Any, ...]:
        return make, (spec_of(self.game) if can_be_made_again(self.game) else self.game,)


@contextmanager
def processes(number: int) -> Iterator[ProcessPoolExecutor]:
    """Gives so many processes, and drops what they have not begun when something goes wrong."""
    # Spawned, because a fork of a running JAX can hang.
    with _Pool(number, get_context("spawn"), initializer=_one_thread) as pool:
        try:
            yield pool
        except BrokenProcessPool as error:
            raise ProcessKilled(
                f"one of {number} processes was killed, perhaps for lack of memory; try again with fewer --jobs."
            ) from error
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Pool(ProcessPoolExecutor):
    """One in which an error that cannot travel does not take the process down with it."""

    def submit(self, work: Any, /, *given: Any, **named: Any) -> Future[Any]:
        return super().submit(_told, work, *given, **named)


def _told(work: Any, *given: Any, **named: Any) -> Any:
    try:
        return work(*given, **named)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:
            raise RuntimeError(f"{type(error).__name__}: {error}") from None
        raise


def _one_thread() -> None:
    """The processes fill the cores; threads on top of them would only get in each other's way."""
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"
    os.environ["JAX_PLATFORMS"] = "cpu"
