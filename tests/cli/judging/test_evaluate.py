"""`coplay evaluate` and `coplay report` at the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.cli import app


def test_zero_games_are_refused_and_nothing_is_written(tmp_path: Path):
    done = CliRunner().invoke(app, ["evaluate", "random", "--games", "0", "--out", str(tmp_path / "new")])
    assert done.exit_code == 2
    assert "--games" in done.output
    assert not (tmp_path / "new").exists()


def test_the_folder_is_named_after_the_question_and_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    words = ["evaluate", "valuebot", "--game", "hanabi-very-small", "--partners", "random, simplebot", "--games", "6"]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0, first.output
    folder = Path("runs/valuebot-hanabi-very-small-2p-6-games-seed-0")
    assert first.stdout.strip().endswith(f"{folder}/report.html")
    (folder / "report.html").unlink()
    again = CliRunner().invoke(app, ["report", str(folder)])
    assert again.exit_code == 0, again.output
    assert again.stdout == first.stdout
    assert (folder / "report.html").is_file()
