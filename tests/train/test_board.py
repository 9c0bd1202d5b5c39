"""TensorBoard curves: one per seed, and a clear word where the package is missing."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import pytest

from coplay.train.board import Board
from coplay.train.settings import TrainError


def test_lines_become_curves(monkeypatch, tmp_path: Path):
    seen = []

    class SummaryWriter:
        def __init__(self, folder: str) -> None:
            assert folder == str(tmp_path / "tensorboard")

        def add_scalar(self, name: str, value: float, step: int) -> None:
            seen.append((name, value, step))

        def flush(self) -> None: ...

    module = types.ModuleType("tensorboardX")
    module.SummaryWriter = SummaryWriter  # pyright: ignore[reportAttributeAccessIssue]
    monkeypatch.setitem(sys.modules, "tensorboardX", module)
    line = {"updates": 1, "turns": 64, "turns_per_second": 5, "score": [1.0, 2.0]}
    Board(tmp_path, wanted=True).write(line)
    assert seen == [("turns_per_second", 5, 64), ("score/0", 1.0, 64), ("score/1", 2.0, 64)]
    Board(tmp_path, wanted=False).write(line)
    assert len(seen) == 3


def test_a_missing_package_is_named(monkeypatch, tmp_path: Path):
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(TrainError, match="pip install tensorboardX"):
        Board(tmp_path, wanted=True)
