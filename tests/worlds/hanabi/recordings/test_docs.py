"""What the page about recorded games shows really runs."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[4] / "docs" / "data.md"


def test_the_python_example_runs(smartbot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys):
    shutil.copy(smartbot, tmp_path / "games.safetensors")
    monkeypatch.chdir(tmp_path)
    for example in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.S):
        exec(compile(example, str(PAGE), "exec"), {})
    shown = capsys.readouterr().out
    assert "of 30 actions are legal on average" in shown
    assert "hgroup_2p_train.safetensors" in shown
