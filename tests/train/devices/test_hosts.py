"""Two processes with four devices each train what one process with eight trains; what happens to one, all are told."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.nets.file import read_safetensors
from coplay.train.devices.hosts import join
from coplay.train.settings import TrainError
from tests.train.devices import host

FLAGS = "--xla_cpu_use_fusion_emitters=false --xla_backend_optimization_level=0 --xla_force_host_platform_device_count="


def start(hosts: str, folder: Path, devices: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.train.devices.host", hosts, str(folder)],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "XLA_FLAGS": f"{FLAGS}{devices}", "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("alone")
    answer = start("", folder, 8)
    _, errors = answer.communicate(timeout=900)
    assert answer.returncode == 0, errors
    return folder


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[int, str, str]]]:
    """The folder of both, and what each came to: (how it ended, what it said, its errors)."""
    folder = tmp_path_factory.mktemp("shared")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{free.getsockname()[1]}"
    both = [start(f"{number}/2@{place}", folder, 4) for number in range(2)]
    said = [one.communicate(timeout=900) for one in both]
    return folder, [(one.returncode, *words) for one, words in zip(both, said, strict=True)]


@pytest.mark.slow
def test_two_processes_train_what_one_does_though_they_are_broken_off(alone: Path, shared: Any):
    folder, ends = shared
    for name, updates in (("run", host.UPDATES), ("population", host.POPULATION)):
        ours, theirs = lines(folder / name)[:updates], lines(alone / name)
        assert len(ours) == len(theirs) == updates, ends
        for one, other in zip(ours, theirs, strict=True):
            assert one.keys() == other.keys()
            for figure in one.keys() - {"turns_per_second"}:
                np.testing.assert_allclose(one[figure], other[figure], rtol=1e-4, atol=1e-4, err_msg=figure)
    for number in range(8):
        for file in (f"agent-{number}", f"snapshot-{number}-0001"):
            one, other = (
                read_safetensors(place / "population" / f"{file}.safetensors")[0] for place in (folder, alone)
            )
            for tensor in one:
                np.testing.assert_allclose(one[tensor], other[tensor], rtol=1e-3, atol=1e-4, err_msg=tensor)


@pytest.mark.slow
def test_what_happens_to_one_process_all_are_told(shared: Any):
    _, ((end, said, errors), (other_end, also_said, _)) = shared
    assert "holds 4 of 10 updates" in said, errors  # Ctrl-C was pressed at the other one
    assert "process 1 of 2 would begin with other numbers than process 0" in said
    assert "process 1 of 2: clip=0.0: must be greater than 0" in said
    assert "12 games cannot be spread evenly over 8 devices" in said
    assert "holds 4 of 10 updates" in also_said
    assert "clip=0.0: must be greater than 0" in also_said
    assert other_end == -signal.SIGKILL
    assert end == 75
    assert "process 1 of 2 has ended, so this one ends too" in errors
    assert "begin all again with --resume" in errors


def test_hosts_are_named_by_number_count_and_address():
    for wrong in ("2/2@here:1", "0/2", "0@here:1", "everywhere"):
        with pytest.raises(TrainError, match=r"write auto .*0/2@FIRST:8476 here"):
            join(wrong)
