"""Jobs of Slurm that share work: by submitit's processes everywhere, and by a real Slurm where it is installed."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import signal
import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

from coplay.measure.crossplay import crossplay
from coplay.rollouts.where import WhereError, WorkerLost, where
from coplay.rollouts.where import slurm as module
from coplay.rollouts.where.slurm import Slurm
from tests.rollouts.where.one_slurm import missing, one_slurm
from tests.rollouts.where.test_local import die, die_once, fail

LEVERS = "file:tests/own/levers.py"
needs_submitit = pytest.mark.skipif(find_spec("submitit") is None, reason="needs submitit: pip install 'coplay[slurm]'")


def warned() -> None:
    with contextlib.suppress(Exception):
        os.kill(os.getpid(), signal.SIGUSR2)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Slurm:
    """Submitit's own processes; what they import of the tests they find where this program finds it."""
    monkeypatch.setenv("PYTHONPATH", os.getcwd())
    return Slurm(folder=str(tmp_path / "jobs"), executor="local")


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Slurm]:
    if absent := missing():
        pytest.skip(f"needs Slurm on this machine (no {', '.join(absent)})")
    monkeypatch.setenv("PYTHONPATH", os.getcwd())
    monkeypatch.setattr(module, "ASK", 1.0)
    with one_slurm():
        yield Slurm(folder=str(tmp_path / "jobs"), memory=1)


def does_it_all(place: Slurm, folder: Path) -> None:
    """A job that is killed is submitted again, what is aside is done here, jobs play on the CPU."""
    tasks = [partial(os.getenv, "JAX_PLATFORMS"), partial(die_once, folder / "killed", 7), partial(abs, -1)]
    found = list(dataclasses.replace(place, jobs=1).share(tasks, (folder / "aside").touch))
    assert found == ["cpu", 7, 1]
    assert (folder / "aside").exists()
    assert not (folder / "jobs").exists()  # nothing is left lying about


@needs_submitit
@pytest.mark.parametrize("parts", [4, 1])
def test_a_killed_job_is_submitted_again(place: Slurm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parts: int):
    """Where it had several tasks, with those that were not done."""
    monkeypatch.setattr(module, "PARTS", parts)
    does_it_all(place, tmp_path)


@needs_submitit
def test_a_real_slurm_does_the_same(cluster: Slurm, tmp_path: Path):
    does_it_all(cluster, tmp_path)
    with pytest.raises(WhereError, match=r"Slurm refused the jobs: .*[Ii]nvalid partition"):
        list(Slurm(folder=str(tmp_path / "jobs"), options=(("partition", "none"),)).share([die]))


@needs_submitit
def test_work_that_kills_every_job_ends_with_its_last_words(place: Slurm, tmp_path: Path):
    with pytest.raises(WorkerLost, match=r"a task was lost 3 times in jobs of Slurm. Its last words: "):
        list(place.share([die]))
    assert list((tmp_path / "jobs").rglob("*.err"))  # for whoever wants to know why


@needs_submitit
def test_a_job_whose_time_is_up_is_not_begun_again(place: Slurm):
    """Slurm warns it by a signal. An agent that catches all errors does not catch this one."""
    late = dataclasses.replace(place, minutes=1)
    with pytest.raises(WorkerLost, match=r"took more than its 1 minutes; give it more, --on 'slurm\?minutes=4'"):
        list(late.share([warned]))


@needs_submitit
def test_errors_arrive_as_they_were(place: Slurm):
    with pytest.raises(ArithmeticError, match="no"):
        list(place.share([fail]))


@needs_submitit
def test_jobs_play_what_one_process_plays(place: Slurm, tmp_path: Path):
    agents = [f"{LEVERS}:First", f"{LEVERS}:Follow"]
    for name, on in (("alone", 1), ("shared", place)):
        crossplay(f"{LEVERS}:Levers", agents, games=5, on=on, out=tmp_path / name)
    assert (tmp_path / "shared" / "games.csv").read_bytes() == (tmp_path / "alone" / "games.csv").read_bytes()


def test_what_is_missing_is_told(place: Slurm, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "submitit", None)
    with pytest.raises(WhereError, match=r"pip install 'coplay\[slurm\]'"):
        list(place.share([fail]))


def test_a_place_may_say_what_its_jobs_take():
    text = "slurm?jobs=8&minutes=30&memory=2.5&partition=short&account=mine"
    assert where(text) == Slurm(8, 30, 2.5, options=(("partition", "short"), ("account", "mine")))
    assert where("slurm") == Slurm()
    for wrong in ("slurm?jobs=0", "slurm?minutes=soon", "slurm?memory=0"):
        with pytest.raises(WhereError, match=r"jobs, minutes, cores and memory|should be a whole number"):
            where(wrong)
