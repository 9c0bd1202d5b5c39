"""Runs that are jobs of their own: what each is called, and that it is the run that `train` makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.nets.file import read_safetensors
from coplay.train.run import train
from coplay.train.settings import TrainError
from coplay.train.several import planned, train_each
from tests.measure.study.posted import Posted
from tests.train.test_run import SETTINGS
from tests.train.toy import Toy


def test_every_setting_meets_every_seed():
    runs = planned(2, 5, {"entropy": ["0.01", "0.1"], "preset": ["high entropy"]})
    assert [(one.name, one.seed, one.settings["entropy"]) for one in runs] == [
        ("entropy-0.01-preset-high-entropy-seed-5", 5, "0.01"),
        ("entropy-0.01-preset-high-entropy-seed-6", 6, "0.01"),
        ("entropy-0.1-preset-high-entropy-seed-5", 5, "0.1"),
        ("entropy-0.1-preset-high-entropy-seed-6", 6, "0.1"),
    ]
    assert [one.name for one in planned(1, 0, {})] == ["seed-0"]


@pytest.mark.parametrize(
    ("seeds", "vary", "words"),
    [
        (0, {}, "seeds=0"),
        (1, {"entropy": []}, "vary=entropy: give at least one value"),
        (1, {"entropy": ["0.1", "0.1"]}, "two runs would be kept in entropy-0.1-seed-0"),
    ],
)
def test_mistakes_are_told(seeds: int, vary: dict[str, Any], words: str):
    with pytest.raises(TrainError, match=words):
        planned(seeds, 0, vary)


@pytest.mark.parametrize(("vary", "words"), [({"entrpy": [1]}, "Did you mean 'entropy'"), ({"games": ["x"]}, "games")])
def test_a_wrong_setting_begins_nothing(tmp_path: Path, vary: dict[str, Any], words: str):
    with pytest.raises(TrainError, match=words):
        train_each("ippo", Toy(), tmp_path / "out", vary=vary)
    assert not (tmp_path / "out").exists()


def test_a_job_is_the_run_that_train_makes(tmp_path: Path):
    place, said = Posted(), []
    runs = train_each("ippo", Toy(), tmp_path / "out", on=place, seeds=2, seed=3, say=said.append, **SETTINGS)
    assert [run.folder.name for run in runs] == ["seed-3", "seed-4"]
    assert place.done == 2
    assert said[1].startswith(f"[2/2] {tmp_path / 'out/seed-4'}: turns {SETTINGS['total_turns']}, score [")
    train("ippo", Toy(), tmp_path / "alone", seed=4, progress=False, **SETTINGS)
    mine, alone = (read_safetensors(tmp_path / one / "agent-0.safetensors")[0] for one in ("out/seed-4", "alone"))
    assert mine.keys() == alone.keys()
    assert all(np.array_equal(mine[name], alone[name]) for name in mine)
    with pytest.raises(TrainError, match="already holds a run; go on with --resume"):
        train_each("ippo", Toy(), tmp_path / "out", seeds=2, seed=3, **SETTINGS)
