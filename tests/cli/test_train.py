"""`coplay train` as a person runs it: killed in the middle, it goes on; mistakes are told in one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from coplay.cli.app import app
from coplay.cli.train import pairs_of
from coplay.nets.file import read_safetensors

UPDATES = 150
TINY = {"games": 4, "turns": 2, "embed": 4, "actor": 4, "critic": 4, "epochs": 1, "minibatches": 1, "bundle": 1}


def begin(out: Path, *more: str, seconds: str = "60") -> subprocess.Popen[str]:
    """A training process."""
    settings = {**TINY, "total_turns": UPDATES * 4 * 2}
    given = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    command = [sys.executable, "-m", "coplay", "train", "ippo", "--game", "hanabi-very-small", "--out", str(out)]
    return subprocess.Popen(
        [*command, *given, *more],
        env={**os.environ, "COPLAY_CHECKPOINT_SECONDS": seconds, "JAX_PLATFORMS": "cpu"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(process: subprocess.Popen[str]) -> str:
    """What it said."""
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


@pytest.mark.slow
def test_a_killed_training_goes_on_to_the_same_end(tmp_path: Path):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    process = begin(killed, seconds="0")
    while process.poll() is None and not (killed / "checkpoint.safetensors").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL, "it was to be killed in the middle"
    done = int(read_safetensors(killed / "checkpoint.safetensors")[0]["updates"])
    assert 0 < done < UPDATES

    both = [begin(killed, "--resume"), begin(whole)]
    said = [finish(process) for process in both]
    assert f"run:{killed}/agent-0.safetensors" in said[0]
    for name in ("checkpoint", "agent-0"):
        ours, theirs = (read_safetensors(folder / f"{name}.safetensors")[0] for folder in (killed, whole))
        assert ours.keys() == theirs.keys()
        for tensor in ours:
            np.testing.assert_array_equal(ours[tensor], theirs[tensor], err_msg=tensor)
    updates = [json.loads(line)["updates"] for line in (killed / "metrics.jsonl").read_text().splitlines()]
    assert updates == list(range(1, UPDATES + 1))


@pytest.mark.slow
def test_ctrl_c_keeps_what_was_learned(tmp_path: Path):
    process = begin(tmp_path / "run")
    while process.poll() is None and not (tmp_path / "run" / "metrics.jsonl").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=300)[1]
    assert process.returncode != 0
    done = int(read_safetensors(tmp_path / "run" / "checkpoint.safetensors")[0]["updates"])
    assert 0 < done < UPDATES
    assert f"Stopped after {done} of {UPDATES} updates; the same command with --resume goes on." in said
    assert len((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()) == done
    assert "Traceback" not in said


def test_resuming_nothing_is_told_and_several_are_told_the_log(tmp_path: Path):
    small = [word for name, value in {**TINY, "total_turns": 16}.items() for word in ("--set", f"{name}={value}")]
    words = ["train", "ippo", "--game", "hanabi-very-small", "--out", str(tmp_path / "run"), *small, "--resume"]
    answer = CliRunner().invoke(app, [*words, "--log", "csv", "--log", "tensorbord"])
    assert "unknown tracker 'tensorbord'" in str(answer.exception)
    answer = CliRunner().invoke(app, [*words, "--log", "csv,csv", "--log", "csv"])
    assert answer.exit_code == 0, answer.output
    assert f"{tmp_path / 'run'} holds no run yet, so a new one begins." in answer.stderr
    assert (tmp_path / "run" / "metrics.csv").exists()


def test_settings_are_listed_with_their_values_for_a_game():
    kitchen = told("train", "ippo", "--game", "overcooked", "--set", "games=64", "--settings")
    listed = dict(line.split()[:2] for line in kitchen.splitlines())
    assert (listed["games"], listed["minibatches"], listed["cell"]) == ("64", "64", "none")
    assert "games played at once, per seed" in kitchen
    assert "partner" in told("train", "best_response", "--settings")


def test_a_run_needs_a_folder():
    answer = CliRunner().invoke(app, ["train", "ippo"])
    assert answer.exit_code == 2
    assert "--out: name the run folder" in answer.output


def told(*words: str) -> str:
    answer = CliRunner().invoke(app, list(words))
    assert answer.exit_code == 0, answer.output
    return answer.output


def test_settings_are_pairs():
    assert pairs_of(["a=1", "b = x=y "]) == {"a": "1", "b": "x=y"}
    for wrong in ("games", "=3"):
        with pytest.raises(typer.BadParameter, match="write name=value"):
            pairs_of([wrong])
