"""What a person sees while a run goes on: turns per second, score and time left."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from datetime import timedelta

from coplay.train.learner.loop import Report
from coplay.train.learner.ppo import Setup

QUIET_SECONDS = 10.0  # between two lines where there is no terminal to draw on


@contextlib.contextmanager
def watch(setup: Setup, label: str, done: int, wanted: bool | None = None) -> Iterator[Callable[[Report], None]]:
    """Yields `show(report)`. On a terminal it draws a bar, else it writes a line now and then; False: nothing."""
    if wanted is False:
        yield lambda report: None
    elif sys.stderr.isatty():
        with _bar(setup, label, done) as show:
            yield show
    else:
        last = [0.0]

        def show_line(report: Report) -> None:
            now = time.monotonic()
            if now - last[0] > QUIET_SECONDS or report.updates >= setup.updates:
                last[0] = now
                done = f"{label} {report.updates}/{setup.updates} updates"
                print(f"{done}, {_words(setup, report)}, {_left(setup, report)}", file=sys.stderr)

        yield show_line


def _left(setup: Setup, report: Report) -> str:
    """The time to the end at the pace of the last bundle; that of the first one holds the compilation."""
    seconds = max(setup.updates - report.updates, 0) * report.seconds / report.bundle
    return f"{timedelta(seconds=round(seconds))} left"


def _words(setup: Setup, report: Report) -> str:
    score = " ".join(f"{float(x):.2f}" for x in report.metrics["score"])
    per_second = setup.turns_per_update * setup.stage.learners * report.bundle / report.seconds
    return f"score {score}, {per_second:,.0f} turns/s"


@contextlib.contextmanager
def _bar(setup: Setup, label: str, done: int) -> Iterator[Callable[[Report], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:.0f}%"),
        TextColumn("{task.fields[words]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=False) as bar:
        task = bar.add_task(label, total=setup.updates, completed=done, words="compiling")
        yield lambda report: bar.update(task, completed=report.updates, words=_words(setup, report))
