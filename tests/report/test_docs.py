"""The page about evaluations is true: its Python runs, its commands and columns exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.measure.evaluated.folder import GameRow
from studies.results.__main__ import app as results

PAGE = (Path(__file__).parents[2] / "docs" / "evaluate.md").read_text()


def test_the_python_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    exec(code.replace("games=50", "games=6"), {})
    assert (tmp_path / "runs/valuebot-small/report.html").is_file()


def test_every_option_on_the_page_exists():
    known = "".join(
        CliRunner().invoke(app, [name, "--help"]).stdout for name in ("evaluate", "report", "replay", "train")
    )
    known += CliRunner().invoke(results, ["--help"]).stdout
    for option in set(re.findall(r"--[a-z]+", PAGE)):
        assert option in known, option


def test_every_column_is_explained():
    table = PAGE.split("Columns of `games.csv`")[1].split("`summary.json` has")[0]
    for column in {*GameRow._fields} - {"facts"} | {"strikes"}:
        assert f"`{column}`" in table


def test_the_commands_of_the_comparison_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    section = PAGE.split("## Compare runs")[1]
    for line in re.findall(r"```\n(.*?)```", section, re.DOTALL)[0].strip().splitlines():
        words = line.replace("--players 2", "--game hanabi-very-small").replace("100", "6").split()[1:]
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 0, done.output
    assert (tmp_path / "runs/comparison.html").is_file()
    assert (tmp_path / "runs/a/summary.json").is_file()
