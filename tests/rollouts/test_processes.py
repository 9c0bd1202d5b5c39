"""Processes that share work."""

from __future__ import annotations

import os
import signal

import pytest

from coplay.rollouts.processes import ProcessKilled, processes


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_told_with_a_remedy():
    with (
        pytest.raises(ProcessKilled, match=r"one of 1 processes was killed.*fewer --jobs"),
        processes(1) as pool,
    ):
        pool.submit(die).result()


def test_processes_keep_to_one_thread_on_the_cpu():
    with processes(1) as pool:
        assert pool.submit(os.getenv, "JAX_PLATFORMS").result() == "cpu"
