"""How jobs are played: one after the other, or by several processes that make the agents anew from their specs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.study.cast import Cast, cast
from coplay.measure.study.costs import since, spent
from coplay.measure.study.endings import Ending, endings
from coplay.measure.study.run import MOVE_SECONDS
from coplay.measure.study.runner import DoneJob, Job
from coplay.rollouts.episode_file import save
from coplay.rollouts.play import play
from coplay.rollouts.precompile import precompiled
from coplay.rollouts.processes import Sent, processes

ToRow = Callable[[Job, Ending], Any]  # no lambda where several processes play: it has to travel
Work = Callable[[], None]


class Venue(NamedTuple):
    """What every job is played with."""

    game: Game
    everyone: Cast
    path: Path  # of the folder, for the games themselves
    to_row: ToRow  # a row of how a game ended
    move_seconds: float = MOVE_SECONDS


def nothing() -> None:
    """No lambda: it may have to go to another process."""


def playing(venue: Venue, processes: int = 1, beside: Work = nothing, threaded: bool = True) -> Any:
    """A function that plays jobs, for `carry_on`; `beside` is done meanwhile, in a thread if it may be."""
    if processes == 1:
        return partial(_play_here, venue, beside, threaded)
    if venue.everyone.has_objects:
        raise MeasureError("several jobs make the agents anew in other processes; name the agents by their specs.")
    return partial(_share, venue, beside, processes)


def _play_here(venue: Venue, beside: Work, threaded: bool, jobs: list[Job]) -> Iterator[DoneJob]:
    """`beside` is done from the end of the first team on: compilers leave a core free now and then, and by then the
    rules and the first agents are compiled for both."""
    if not jobs:
        beside()
        return
    players = venue.everyone.players
    seated = dict.fromkeys(name for job in jobs for name in job.members)
    with (
        _meanwhile(beside, threaded) as begin,
        precompiled(venue.game, [players[name] for name in seated], len(jobs[0].deals)) as ready,
    ):
        for job in jobs:
            for name in dict.fromkeys(job.members):
                ready(players[name])
            yield play_job(venue, job)
            begin()


def _share(venue: Venue, beside: Work, number: int, jobs: list[Job]) -> Iterator[DoneJob]:
    """What one member plays in a row stays in one process, so that it is not compiled in all of them."""
    sent = venue._replace(game=Sent(venue.game), everyone=Cast({}, venue.everyone.specs))  # pyright: ignore[reportArgumentType]
    with processes(number) as pool:
        aside = pool.submit(beside)
        parts = [list(group) for _, group in groupby(jobs, lambda job: job.key[0])]
        for task in [pool.submit(_play_part, sent, part) for part in parts]:
            yield from task.result()
        aside.result()


def _play_part(venue: Venue, jobs: list[Job]) -> list[DoneJob]:
    specs = venue.everyone.specs
    made = cast(venue.game, {name: specs[name] for name in dict.fromkeys(n for job in jobs for n in job.members)})
    return [play_job(venue._replace(everyone=made), job) for job in jobs]


def play_job(venue: Venue, job: Job) -> DoneJob:
    """In lock-step, where a policy compiles once for all the teams and seats it plays in."""
    begun = time.monotonic()
    members = {name: venue.everyone.players[name] for name in job.members}
    before = spent(members)
    episodes = play(
        venue.game,
        [members[name] for name in job.members],
        seed=job.seed,
        deals=job.deals,
        engine="lockstep",
        move_seconds=venue.move_seconds,
        progress=False,
    )
    if job.file:
        save(episodes, venue.path / job.file)
    rows = [venue.to_row(job, ending) for ending in endings(episodes)]
    return DoneJob(job, rows, time.monotonic() - begun, costs=since(before, spent(members)))


@contextmanager
def _meanwhile(work: Work, threaded: bool) -> Iterator[Work]:
    """Gives a function that begins the work in a thread, if it has not begun. Otherwise it is done after the body: a
    plain agent has its time limit only in the main thread."""
    with ThreadPoolExecutor(1) as threads:
        tasks: list[Future[None]] = []

        def begin() -> None:
            if threaded and not tasks:
                tasks.append(threads.submit(work))

        yield begin
        if tasks:
            tasks[0].result()
        else:
            work()
