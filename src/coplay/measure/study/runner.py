"""One resumable runner for every measure: a plan of jobs, rows for each job, and what is missing.

A measure says which teams play which deals (`Job`s) and what a row of its games.csv is (a `Folder`). `carry_on` plays
what the folder does not hold yet, and gives the rows of all jobs. What is read off them is the measure's own business.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from coplay.files import write_whole
from coplay.measure import MeasureError
from coplay.measure.study.costs import Cost, keep_costs
from coplay.measure.study.endings import ran_out_of_time
from coplay.measure.study.folder import Folder, Key, is_passing
from coplay.measure.study.run import Run
from coplay.rollouts.progress import progress_bar

Say = Callable[[str], None]
Row = TypeVar("Row", bound=NamedTuple)
More = Callable[[dict[Key, list[Any]]], Sequence["Job"]]  # from the rows of all jobs so far, the jobs that follow
Asked = TypeVar("Asked", bound=Run)


@dataclasses.dataclass(frozen=True)
class Job:
    """One team and the deals it plays."""

    key: Key  # whose rows these are, as the folder tells it (`Folder.key`)
    says: str  # who plays, for people
    members: tuple[str, ...]  # names in seat order
    seed: int
    deals: range
    file: str = ""  # where the games themselves are kept, in the folder; empty: they are not


class DoneJob(NamedTuple):
    """A job and what it came to."""

    job: Job
    rows: list[Any]
    seconds: float
    says: str = ""  # for people, if it is not about scores
    costs: tuple[Cost, ...] = ()
    games: bytes = b""  # what the file of the job is to hold, if it does not lie there yet

    def __str__(self) -> str:
        return f"{self.job.says}: {self.says or self._scores()} ({self.seconds:.1f} s)"

    def _scores(self) -> str:
        forfeits = sum(bool(row.forfeit) for row in self.rows)
        lost = f", {forfeits} forfeited" if forfeits else ""
        return f"mean {sum(row.score for row in self.rows) / len(self.rows):.2f}{lost}"


def tell(line: str) -> None:
    """How commands say what they have done; on a terminal a bar takes its place."""
    print(line, file=sys.stderr, flush=True)


def quiet(line: str) -> None:
    """How a program is told: not at all, but for the bar on a terminal."""


def nothing_follows(done: dict[Key, list[Any]]) -> Sequence[Job]:
    """Of a plan that is known beforehand."""
    return ()


def carry_on(
    folder: Folder[Row, Asked],
    run: Asked,
    jobs: Sequence[Job],
    playing: Callable[[list[Job]], Iterable[DoneJob]],
    say: Say = quiet,
    more: More = nothing_follows,
) -> dict[Key, list[Row]]:
    """Does the jobs that the folder does not hold yet; `playing` does those it is given (perhaps none) in any order.

    When all are done, `more` says what follows; with nothing the plan ends. It is asked once after each part of the
    plan, also of a folder that goes on.

    Games in which somebody ran out of time are played again: the machine may have been busy. A job is kept as soon as
    it is done, and in the end games.csv has them in the order of the plan, wherever and whenever they were played.
    Returns the rows of every job by its key, in that order.
    """
    folder.begin(run)
    with folder.alone():
        plan, done = _planned(folder, jobs, more, _late)
        folder.keep(done.values())
        if done:
            say(f"{len(done)} of {len(plan)} {'team was' if len(plan) == 1 else 'teams were'} played before")
        follow = True
        while follow:
            missing = {job: number for number, job in enumerate(plan, 1) if job.key not in done}
            try:
                with _shown(say, len(plan), len(done)) as tell_one:
                    for finished_job in playing(list(missing)):
                        _keep(folder, finished_job)
                        done[finished_job.job.key] = finished_job.rows
                        tell_one(missing[finished_job.job], finished_job)
            except KeyboardInterrupt:
                say(f"Stopped after {len(done)} of {len(plan)} teams. {_how_to_go_on(folder)}")
                raise
            follow = list(more(done)) if missing else []
            plan += follow
        whole = {job.key: done[job.key] for job in plan}
        folder.keep(whole.values())
    return whole


def _planned(
    folder: Folder[Row, Any], jobs: Sequence[Job], more: More, again: Callable[[Any], bool]
) -> tuple[list[Job], dict[Key, list[Row]]]:
    """The plan as far as the rows that are there tell it, and the rows of its jobs that need not be played again."""
    there = folder.together()
    plan, done = list[Job](), dict[Key, list[Row]]()
    while jobs:
        plan += jobs
        found = folder.complete(there, _counts(jobs))
        done |= {key: rows for key, rows in found.items() if not any(map(again, rows))}
        jobs = more(done) if all(job.key in done for job in jobs) else ()
    return plan, done


def _keep(folder: Folder[Any, Any], done: DoneJob) -> None:
    """The rows last: where they are, the job is done."""
    keep_costs(folder.path, done.costs)
    if done.games:
        write_whole(folder / done.job.file, done.games)
    folder.append(done.rows)


def _how_to_go_on(folder: Folder[Any, Any]) -> str:
    if is_passing(folder.path):
        return "Nothing is kept; with --out DIR the same command goes on where it stopped."
    return f"What is finished is kept in {folder.path}, and the same command goes on."


def _counts(jobs: Iterable[Job]) -> dict[Key, int]:
    return {job.key: len(job.deals) for job in jobs}


def _late(row: Any) -> bool:
    return ran_out_of_time(getattr(row, "forfeit", ""))


class _shown:
    """A bar on a terminal, a line per job elsewhere."""

    def __init__(self, say: Say, total: int, before: int) -> None:
        self.say, self.total, self.before = say, total, before
        self.bar = progress_bar("teams", total) if say in (tell, quiet) and sys.stderr.isatty() else None

    def __enter__(self) -> Callable[[int, DoneJob], None]:
        if self.bar is None:
            return lambda number, done: self.say(f"[{number}/{self.total}] {done}")
        advance = self.bar.__enter__()
        advance(self.before)
        return lambda number, done: advance(1)

    def __exit__(self, *problem: Any) -> None:
        if self.bar is not None:
            self.bar.__exit__(*problem)


def finished(folder: Folder[Row, Any], jobs: Sequence[Job], more: More = nothing_follows) -> Mapping[Key, list[Row]]:
    """The rows of every job by its key, in the order of the plan; all must be there. Reads games.csv once."""
    plan, done = _planned(folder, jobs, more, lambda row: False)
    missing = [job for job in plan if job.key not in done]
    if missing:
        name = " ".join(folder.command.split()[:2])
        raise MeasureError(
            f"{folder.path} is not finished: {len(missing)} of {len(plan)} teams are missing. "
            f"Repeat its {name} command; it goes on where it stopped."
        )
    return done
