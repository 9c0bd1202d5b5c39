"""A Slurm cluster that shares work: `slurm`, or `slurm?jobs=200&minutes=30&partition=short`.

submitit writes the batch scripts and carries tasks through a folder that all nodes share; what they come to is left
there. A job has one core, and one task, or several where there are many more of them than jobs. Where Slurm puts a job
back into its queue, it is waited for; where one is gone and has left nothing, it is submitted again.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from coplay import __version__
from coplay.rollouts.where import Task, WhereError, WorkerLost
from coplay.rollouts.where.local import environment, meanwhile, told
from coplay.specs import options_of, parse, read_options

TRIES = 3  # jobs that one task may lose
LOOK = 0.5  # seconds between two looks for results
ASK = 15.0  # seconds between two questions to Slurm
NOTICE = 10  # seconds before its time is up that a job is told
PARTS = 4  # times as many jobs in all as there are at once, so that they end at the same time
DONE = ".done"
LATE = "The time of this job of coplay is up."
FOLDER = ".coplay-slurm"  # in the folder where the command was typed
NAME = "coplay"


@dataclasses.dataclass(frozen=True)
class Slurm:
    """What a job may take, and whatever else sbatch is told."""

    jobs: int = 200  # in Slurm's queue at once
    minutes: int = 60  # a job may take; then it is lost
    memory: float = 4.0  # GB
    cores: int = 1  # of a job
    gpus: int = 0  # of a job
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
    if min(place.jobs, place.minutes, place.cores, place.memory) <= 0 or place.gpus < 0:
        raise WhereError(f"--on {text}: jobs, minutes, cores and memory (GB) are above 0.")
    return place


class _Work:
    """Tasks of one job, by their numbers. What each came to is left in the folder as soon as it is known."""

    def __init__(self, home: Path, tasks: Mapping[int, Task], place: Slurm) -> None:
        self.home, self.minutes, self.version = home, place.minutes, __version__
        self.environment = environment(place.cores, place.gpus)
        self.tasks = {number: pickle.dumps(task) for number, task in tasks.items()}

    def __call__(self) -> None:
        os.environ.update(self.environment)
        # submitit would raise an error in the middle of the task, which might take it for an agent's own.
        signal.signal(signal.SIGUSR2, partial(_broken_off, time.monotonic(), self.minutes))
        for number, task in self.tasks.items():
            file = self.home / f"{number}{DONE}"
            file.with_suffix(".partial").write_bytes(pickle.dumps(self._do(task)))
            file.with_suffix(".partial").replace(file)

    def _do(self, task: bytes) -> tuple[bool, Any]:
        """(whether it went well, what it came to)"""
        try:
            if self.version != __version__:
                raise WhereError(f"a node has coplay {__version__}, this machine {self.version}; install the same.")
            return True, told(pickle.loads(task))
        except Exception as error:
            return False, error


def _broken_off(begun: float, minutes: int, *given: Any) -> None:
    """Slurm says that it is about to end the job; it leaves no result, so it is lost."""
    late = time.monotonic() - begun > 60 * minutes - NOTICE - 60
    print(LATE if late else "Slurm wants the node for another job.", file=sys.stderr, flush=True)
    os._exit(1)


class _Sent(NamedTuple):
    """A job of Slurm, and its tasks that are not done; the first of them is what it is doing."""

    job: Any
    left: dict[int, Task]
    all: int


def _done(place: Slurm, home: Path, tasks: Sequence[Task]) -> Iterator[Any]:
    """As many jobs as the place allows are with Slurm at once, and each has a share of the tasks if they are many."""
    each = -(-len(tasks) // (PARTS * place.jobs))
    numbered = list(enumerate(tasks))
    waiting = deque(dict(numbered[at : at + each]) for at in range(0, len(tasks), each))
    sent, lost = list[_Sent](), Counter[int]()
    submit = _submitter(place, home)
    ended = _ended_in_slurm() if place.executor == "slurm" else _ended
    try:
        while waiting or sent:
            if waiting and len(sent) <= place.jobs * 3 // 4:
                batch = [waiting.popleft() for _ in range(min(place.jobs - len(sent), len(waiting)))]
                sent += [_Sent(job, part, len(part)) for job, part in zip(submit(batch), batch, strict=True)]
            over = ended([one.job for one in sent])
            there = set(os.listdir(home))  # after that: what ended meanwhile has left its results
            for one in list(sent):
                for number in [number for number in one.left if f"{number}{DONE}" in there]:
                    del one.left[number]
                    yield _found(home / f"{number}{DONE}")
                if one.job.job_id in over:
                    sent.remove(one)
                    if one.left:
                        lost[next(iter(one.left))] += 1
                        _check(place, one, lost[next(iter(one.left))])
                        waiting.appendleft(one.left)
            time.sleep(LOOK)
    finally:
        _cancel(place, [one.job for one in sent])


def _found(file: Path) -> Any:
    went_well, found = pickle.loads(file.read_bytes())
    file.unlink()
    if went_well:
        return found
    raise found


def _check(place: Slurm, sent: _Sent, times: int) -> None:
    """What a job has not done may be begun anew, unless that would end in the same way."""
    path = sent.job.paths.stderr
    said = path.read_text(errors="replace") if path.exists() else ""
    if (LATE in said or "DUE TO TIME LIMIT" in said) and len(sent.left) == sent.all:
        raise WorkerLost(
            f"a job of Slurm took more than its {place.minutes} minutes; give it more, --on 'slurm?minutes="
            f"{4 * place.minutes}', or it less to do."
        )
    if times == TRIES:
        words = _last_line(said)
        raise WorkerLost(f"a task was lost {TRIES} times in jobs of Slurm. Its last words: {words} ({path})")


def _cancel(place: Slurm, jobs: list[Any]) -> None:
    with suppress(OSError):
        if place.executor == "slurm" and jobs:
            subprocess.run(["scancel", *(job.job_id for job in jobs)], capture_output=True)
        elif place.executor != "slurm":
            for job in jobs:
                job.cancel(check=False)
            while not all(job.done() for job in jobs):
                time.sleep(LOOK)


def _submitter(place: Slurm, home: Path) -> Callable[[list[dict[int, Task]]], list[Any]]:
    """A function that submits tasks, as one array of jobs."""
    try:
        import submitit  # pyright: ignore[reportMissingImports]
        from submitit.core.utils import FailedJobError, FailedSubmissionError  # pyright: ignore[reportMissingImports]
    except ImportError as error:
        raise WhereError(f"{error}; --on slurm needs more packages: pip install 'coplay[slurm]'.") from error
    limits = {"timeout_min": place.minutes, "mem_gb": place.memory, "cpus_per_task": place.cores}
    if place.gpus:
        limits["gpus_per_node"] = place.gpus
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

    def submit(parts: list[dict[int, Task]]) -> list[Any]:
        try:
            with executor.batch():
                return [executor.submit(_Work(home, dict(part), place)) for part in parts]
        except (FailedJobError, FailedSubmissionError) as error:
            raise WhereError(f"Slurm refused the jobs: {_last_line(str(error))}") from error

    return submit


def _ended(jobs: list[Any]) -> set[str]:
    """Of processes on this machine."""
    return {job.job_id for job in jobs if job.done()}


def _ended_in_slurm() -> Callable[[list[Any]], set[str]]:
    """A function that says which jobs have told their end, or are neither waiting nor running; what they left may take
    a while to be seen."""
    asked, before = time.monotonic(), set[str]()

    def ended(jobs: list[Any]) -> set[str]:
        nonlocal asked, before
        over = {job.job_id for job in jobs if job.paths.result_pickle.exists()}
        if time.monotonic() - asked < ASK:
            return over
        asked = time.monotonic()
        words = ["squeue", "--noheader", "--array", "--user", getpass.getuser(), "--format", "%i"]
        told = subprocess.run(words, capture_output=True, text=True)
        if told.returncode:  # the controller is busy, or being restarted; jobs go on without it
            return over
        now = {job.job_id for job in jobs} - set(told.stdout.split())
        twice, before = now & before, now
        return over | twice

    return ended


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip(" -")), "none")
