"""A progress bar on stderr for work that takes more than a moment."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

PATIENCE = 1.0  # seconds of silence before a bar appears


@contextlib.contextmanager
def progress_bar(label: str, total: int, wanted: bool | None = None) -> Iterator[Callable[[int], None]]:
    """Yields `advance(count)`. None shows a bar only on a terminal and only if the work drags on."""
    if wanted is False or (wanted is None and not sys.stderr.isatty()):
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(label, total=total)
    begun = time.monotonic()
    shown = False

    def advance(count: int) -> None:
        nonlocal shown
        bar.advance(task, count)
        if not shown and (wanted or time.monotonic() - begun > PATIENCE):
            bar.start()
            shown = True

    try:
        yield advance
    finally:
        if shown:
            bar.stop()
