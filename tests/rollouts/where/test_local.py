"""Processes that share work."""

from __future__ import annotations

import os
import signal
from functools import partial
from pathlib import Path

import pytest

from coplay.rollouts.where import WhereError, WorkerLost, where
from coplay.rollouts.where.cluster import Cluster
from coplay.rollouts.where.local import Local, environment


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def die_once(mark: Path, answer: int) -> int:
    """The first time it takes its process down."""
    if not mark.exists():
        mark.touch()
        die()
    return answer


def fail() -> None:
    raise ArithmeticError("no")


def test_what_a_killed_process_was_doing_is_done_again(tmp_path: Path):
    tasks = [partial(die_once, tmp_path / "killed", number) for number in range(5)]
    assert sorted(Local(2).share(tasks, partial(die_once, tmp_path / "aside", 0))) == [0, 1, 2, 3, 4]


def test_work_that_kills_every_process_ends_with_a_remedy():
    with pytest.raises(WorkerLost, match=r"one of 2 processes was killed.*fewer --jobs"):
        list(Local(2).share([die]))


def test_errors_arrive_as_they_were_and_those_beside_when_all_is_done():
    with pytest.raises(ArithmeticError, match="no"):
        list(Local(2).share([fail]))
    shared = Local(2).share([partial(os.getenv, "JAX_PLATFORMS")], fail)
    assert next(shared) == "cpu"
    with pytest.raises(ArithmeticError, match="no"):
        next(shared)


def test_places_have_names(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    for text, number in (("local:8", 8), ("8", 8), (8, 8), ("local", 64), (1, 1)):
        assert where(text) == Local(number)
    assert where(where("ray://there:10001")) == where("ray://there:10001") != where("ray")
    for wrong in ("local:0", "-1", 0, "", "loca:3", "ray:", ":8", "local:two", True):
        with pytest.raises(WhereError, match=r"no place to play: give a number of processes.*ray://HOST:PORT"):
            where(wrong)


def test_a_cluster_may_say_what_its_jobs_take():
    assert where("ray") == Cluster()
    assert where("ray?gpus=1&cores=4") == Cluster(cores=4, gpus=1.0)
    assert where("ray://head:10001?gpus=0.5") == Cluster("ray://head:10001", gpus=0.5)
    with pytest.raises(WhereError, match="gpu"):
        where("ray?gpu=1")
    with pytest.raises(WhereError, match="0 or more"):
        where("ray?gpus=-1")


def test_a_worker_with_a_gpu_is_not_kept_from_it(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XLA_FLAGS", "--of=mine")
    assert environment() == {"JAX_PLATFORMS": "cpu", "XLA_FLAGS": "--of=mine --xla_cpu_multi_thread_eigen=false"}
    assert environment(cores=4) == {"JAX_PLATFORMS": "cpu"}
    assert environment(gpus=1) == {}
    assert environment(gpus=0.5) == {"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.45"}
