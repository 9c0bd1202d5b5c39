"""Ctrl-C during a run: what was learned so far is kept, and the person is told how to go on."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from coplay.train.devices.hosts import first, told


@contextlib.contextmanager
def waits_for_a_whole_step() -> Iterator[Callable[[], bool]]:
    """Yields whether Ctrl-C was pressed. The first time it only asks to stop; the second time it stops at once.

    In the middle of a compiled step there is nothing to keep: the arrays from before it are gone already.
    """
    asked = [False]

    def ask(number: int, frame: Any) -> None:
        if asked[0]:
            signal.default_int_handler(number, frame)
        asked[0] = True
        print("Stopping after this step, so that it can be kept. Ctrl-C again: at once.", file=sys.stderr)

    if threading.current_thread() is not threading.main_thread():  # signals are the main thread's business
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, ask)
    try:
        yield lambda: asked[0]
    finally:
        signal.signal(signal.SIGINT, before)


def leave(folder: Path, done: int, total: int, what: str) -> None:
    """Ends a run that was asked to stop and has kept everything; nothing if it was at its end anyway."""
    if done < total:
        if first():
            print(f"Stopped after {done} of {total} {what}; the same command with --resume goes on.", file=sys.stderr)
        raise told(KeyboardInterrupt(f"{folder} holds {done} of {total} {what}; resume=True goes on."))
