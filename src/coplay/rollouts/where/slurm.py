"""A Slurm cluster that shares work: `slurm`, or `slurm?jobs=200&minutes=30&partition=short`.

submitit writes the batch scripts and carries tasks and results through a folder that all nodes share. A task is a job
of one core. Where Slurm puts a job back into its queue, it is waited for; where one is gone and has left nothing, it is
submitted again.
"""

from __future__ import annotations

import dataclasses
import getpass
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from coplay import __version__
from coplay.rollouts.where import Task, WhereError, WorkerLost
from coplay.rollouts.where.local import environment, meanwhile, told
from coplay.specs import options_of, parse, read_options

TRIES = 3  # jobs that one task may lose
LOOK = 0.5  # seconds between two looks for results
ASK = 15.0  # seconds between two questions to Slurm
NOTICE = 10  # seconds before its time is up that a job is told
LATE = "The time of this job of coplay is up."
FOLDER = ".coplay-slurm"  # in the folder where the command was typed
NAME = "coplay"


@dataclasses.dataclass(frozen=True)
class Slurm:
    """What a job may take, and whatever else sbatch is told."""

    jobs: int = 200  # in Slurm's queue at once
    minutes: int = 60  # a job may take; then it is lost
    memory: float = 4.0  # GB
    folder: str = ""  # shared by all nodes; else one where the command was typed
    options: tuple[tuple[str, str], ...] = ()  # sbatch --name=value
    executor: str = "slurm"  # or submitit's `local`, which needs no Slurm

    @property
    def alone(self) -> bool:
        return False

    def share(self, tasks: Sequence[Task], aside: Task | None = None) -> Iterator[Any]:
        if not tasks and aside is None:
            return
        home = Path(self.folder or FOLDER).resolve() / uuid.uuid4().hex
        keeps = False
        try:
            with meanwhile(aside):
                if tasks:
                    yield from _done(self, home, tasks)
        except WorkerLost:
            keeps = True  # why can be read there
            raise
        finally:
            if not keeps:
                shutil.rmtree(home, ignore_errors=True)
                with suppress(OSError):
                    home.parent.rmdir()


def slurm(text: str) -> Slurm:
    """The place that a text names: our own options, and whatever else is meant for sbatch."""
    own = {name: option for name, option in options_of(Slurm).items() if name not in ("options", "executor")}
    given = parse(text).options
    ours = read_options({name: given.pop(name) for name in own if name in given}, own, text, WhereError)
    place = Slurm(**ours, options=tuple(given.items()))
    if place.jobs < 1 or place.minutes < 1 or place.memory <= 0:
        raise WhereError(f"--on {text}: jobs, minutes and memory (GB) are above 0.")
    return place


class _Work:
    """A task in a job."""

    def __init__(self, task: bytes, minutes: int) -> None:
        self.task, self.minutes, self.version = task, minutes, __version__

    def __call__(self) -> tuple[bool, Any]:
        """(whether it went well, what it came to)"""
        os.environ.update(environment())
        # submitit would raise an error in the middle of the task, which might take it for an agent's own.
        signal.signal(signal.SIGUSR2, partial(_broken_off, time.monotonic(), self.minutes))
        try:
            if self.version != __version__:
                raise WhereError(f"a node has coplay {__version__}, this machine {self.version}; install the same.")
            return True, told(pickle.loads(self.task))
        except Exception as error:
            return False, error


def _broken_off(begun: float, minutes: int, *given: Any) -> None:
    """Slurm says that it is about to end the job; it leaves no result, so it is lost."""
    late = time.monotonic() - begun > 60 * minutes - NOTICE - 60
    print(LATE if late else "Slurm wants the node for another job.", file=sys.stderr, flush=True)
    os._exit(1)


def _done(place: Slurm, home: Path, tasks: Sequence[Task]) -> Iterator[Any]:
    """As many as the place allows are with Slurm at once."""
    left, running, lost = deque(enumerate(tasks)), dict[int, Any](), Counter[int]()
    submit = _submitter(place, home)
    gone = _gone_from_slurm() if place.executor == "slurm" else _ended
    try:
        while left or running:
            if left and len(running) <= place.jobs * 3 // 4:
                batch = [left.popleft() for _ in range(min(place.jobs - len(running), len(left)))]
                running |= dict(zip((number for number, _ in batch), submit([task for _, task in batch]), strict=True))
            missing = gone(running.values())
            there = set(os.listdir(home))  # after that: what ended meanwhile has left its result
            for number, job in list(running.items()):
                if job.paths.result_pickle.name in there:
                    yield _result(running.pop(number))
                elif job.job_id in missing:
                    lost[number] += 1
                    _check(place, job, lost[number])
                    left.appendleft((number, tasks[number]))
                    del running[number]
            time.sleep(LOOK)
    finally:
        _cancel(place, list(running.values()))


def _check(place: Slurm, job: Any, times: int) -> None:
    """A job that was lost so many times may be begun anew, unless that would end in the same way."""
    said = job.paths.stderr.read_text(errors="replace") if job.paths.stderr.exists() else ""
    if LATE in said or "DUE TO TIME LIMIT" in said:
        raise WorkerLost(
            f"a job of Slurm took more than its {place.minutes} minutes; give it more, --on 'slurm?minutes="
            f"{4 * place.minutes}', or it less to do."
        )
    if times == TRIES:
        raise WorkerLost(f"a task was lost {TRIES} times in jobs of Slurm. {_last_words(job)}")


def _cancel(place: Slurm, jobs: list[Any]) -> None:
    with suppress(OSError):
        if place.executor == "slurm" and jobs:
            subprocess.run(["scancel", *(job.job_id for job in jobs)], capture_output=True)
        elif place.executor != "slurm":
            for job in jobs:
                job.cancel(check=False)


def _submitter(place: Slurm, home: Path) -> Callable[[list[Task]], list[Any]]:
    """A function that submits tasks, as one array of jobs."""
    try:
        import submitit  # pyright: ignore[reportMissingImports]
        from submitit.core.utils import FailedJobError, FailedSubmissionError  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise WhereError(f"{error}; --on slurm needs more packages: pip install 'coplay[slurm]'.") from error
    limits = {"timeout_min": place.minutes, "mem_gb": place.memory, "cpus_per_task": 1}
    try:
        if place.executor == "slurm":
            executor = submitit.AutoExecutor(folder=home, cluster="slurm", slurm_max_num_timeout=0)
            more = dict(place.options)
            executor.update_parameters(slurm_job_name=NAME, slurm_signal_delay_s=NOTICE)
            executor.update_parameters(slurm_additional_parameters=more)
        else:
            executor = submitit.AutoExecutor(folder=home, cluster=place.executor)
        executor.update_parameters(**limits)
    except RuntimeError as error:
        raise WhereError(f"{error} --on slurm is typed where sbatch is known, on a login node.") from error

    def submit(tasks: list[Task]) -> list[Any]:
        try:
            with executor.batch():
                return [executor.submit(_Work(pickle.dumps(task), place.minutes)) for task in tasks]
        except (FailedJobError, FailedSubmissionError) as error:
            raise WhereError(f"Slurm refused the jobs: {_last_line(str(error))}") from error

    return submit


def _result(job: Any) -> Any:
    try:
        went_well, found = job.result()
    except Exception as error:  # submitit tells all as its own errors
        raise WorkerLost(f"a job of Slurm could not begin its work. {_last_words(job)}") from error
    if went_well:
        return found
    raise found


def _ended(jobs: Any) -> set[str]:
    """Of processes on this machine."""
    return {job.job_id for job in jobs if job.done()}


def _gone_from_slurm() -> Callable[[Any], set[str]]:
    """A function that says which jobs are neither waiting nor running; their results may take a while to be seen."""
    asked, before = time.monotonic(), set[str]()

    def gone(jobs: Any) -> set[str]:
        nonlocal asked, before
        if time.monotonic() - asked < ASK:
            return set()
        asked = time.monotonic()
        words = ["squeue", "--noheader", "--array", "--user", getpass.getuser(), "--format", "%i"]
        told = subprocess.run(words, capture_output=True, text=True)
        if told.returncode:  # the controller is busy, or being restarted; jobs go on without it
            return set()
        now = {job.job_id for job in jobs} - set(told.stdout.split())
        twice, before = now & before, now
        return twice

    return gone


def _last_words(job: Any) -> str:
    said = "".join(path.read_text(errors="replace") for path in (job.paths.stderr,) if path.exists())
    return f"Its last words: {_last_line(said)} ({job.paths.stderr})"


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip(" -")), "none")
