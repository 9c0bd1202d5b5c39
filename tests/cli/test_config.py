"""Options in a file: what is typed wins, names that do not exist are told, and a result says all it was made with."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.cli.app import app
from coplay.cli.config import ConfigError

LEVERS = "file:tests/own/levers.py"
EVALUATE = f"""
agents = ["{LEVERS}:First"]
game = "{LEVERS}:Levers"
partners = ["{LEVERS}:Follow", "random"]
games = 5
move-seconds = 9
robustness = false
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "options.toml"
    file.write_text(text)
    return file


def test_a_file_stands_for_what_would_be_typed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    words = ["evaluate", f"--config={written(tmp_path, EVALUATE)}", "--games", "2", "--out", str(tmp_path / "run")]
    monkeypatch.setattr(sys, "argv", ["coplay", *words])
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 0, done.output
    run = json.loads((tmp_path / "run/run.json").read_text())
    assert run["partners"] == [f"{LEVERS}:Follow", "random"]
    assert (run["games"], run["move_seconds"]) == (2, 9)
    made = f"coplay evaluate {LEVERS}:First --game {LEVERS}:Levers --partners {LEVERS}:Follow,random"
    assert shlex.split(run["made"]["command"])[:7] == made.split()
    assert "--no-robustness" in run["made"]["command"]
    assert "--config" not in run["made"]["command"]


def test_settings_of_a_learner_are_a_table_and_are_overruled_one_by_one(tmp_path: Path):
    text = 'recipe = "ippo"\ngame = "hanabi-very-small"\nsettings = true\n[set]\ngames = 64\ntotal_turns = 1e5\n'
    listed = CliRunner().invoke(app, ["train", "--config", str(written(tmp_path, text)), "--set", "games=32"])
    values = dict(line.split()[:2] for line in listed.stdout.splitlines())
    assert (values["games"], values["total_turns"]) == ("32", "100000.0")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('agent = "piers"', "unknown option 'agent'.*Did you mean 'agents'"),
        ("games = 5\ngames = 6", "is no TOML"),
        ("[games]\nx = 1", "games takes no table"),
        ('robustness = "no"', "write true or false"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, text: str, says: str):
    file = written(tmp_path, text)
    with pytest.raises(ConfigError, match=says):
        CliRunner().invoke(app, ["evaluate", "random", "--config", str(file)], catch_exceptions=False)


def test_a_value_of_the_wrong_kind_is_told_as_if_it_were_typed(tmp_path: Path):
    done = CliRunner().invoke(app, ["evaluate", "random", "--config", str(written(tmp_path, 'games = "many"'))])
    assert done.exit_code == 2
    assert "--games" in done.output
