"""`coplay data`: what each command says and writes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from coplay.cli.data import app
from coplay.data import DataError
from coplay.worlds.hanabi.recordings import load_games


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize("command", ["inspect", "convert", "split", "fetch"])
def test_every_command_shows_examples(command: str):
    shown = run(command, "--help")
    assert f"coplay data {command}" in shown.stdout.split("Examples:")[1]


def test_the_commands_are_registered_and_mistakes_fit_on_a_line(tmp_path: Path):
    command = [sys.executable, "-m", "coplay", "data", "inspect", str(tmp_path / "none")]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 2
    assert answer.stderr == f"coplay: {tmp_path / 'none'}: there is no such file or folder.\n"


def test_inspect_describes_checks_and_shows_a_game(smartbot: Path):
    answer = run("inspect", smartbot)
    assert answer.exit_code == 0, answer.output
    lines = answer.stdout.splitlines()
    assert lines[0] == "AH2AC2 games: 20 of 3 players (hanabi?players=3)"
    assert lines[2].split() == ["score", "20", "25", "23.250", "23", "1.4098"]
    assert lines[3].split() == ["length", "57", "61", "59.500", "59.5", "1.1619"]
    assert lines[4] == "replay: all 20 games obey the rules; 0 stop before the rules end them"
    assert lines[5] == "first game: id 0, 59 moves, score 22"
    assert lines[6] == "  seat 0: hint player +2 colour yellow"
    assert "https://hanab.live/shared-replay-json/" in lines[-1]


def test_inspect_names_what_is_wrong(altered: Callable[..., Path]):
    path = altered(lambda tensors: (tensors["scores"].__iadd__(1), tensors.update(level=np.arange(20))))
    answer = run("inspect", path)
    assert answer.exit_code == 1
    assert "also: level, int64 [20], 0 to 19" in answer.stdout
    assert "replay: 20 of 20 games do not obey the rules" in answer.stdout
    assert "game 0 (row 0): it replays to score 22, but 23 is recorded" in answer.stdout
    assert "first game" not in answer.stdout


def test_convert_goes_round_all_formats(smartbot: Path, tmp_path: Path):
    source = smartbot
    for target, kind in (
        ("a.safetensors", "episodes"),
        ("b.json", None),
        ("c.safetensors", "episodes"),
        ("d.safetensors", "ah2ac2"),
        ("e.safetensors", None),
    ):
        answer = run("convert", source, tmp_path / target, *(["--to", kind] if kind else []))
        assert answer.exit_code == 0, answer.output
        assert "wrote 20 games of 3 players" in answer.stdout
        source = tmp_path / target
    assert source.read_bytes() == smartbot.read_bytes()
    assert run("inspect", tmp_path / "a.safetensors").stdout.startswith("coplay episodes: 20 of 3 players")
    assert run("inspect", tmp_path / "b.json").stdout.startswith("hanab.live games: 20 of 3 players")


def test_convert_refuses_what_it_cannot_write(smartbot: Path, altered: Callable[..., Path], tmp_path: Path):
    wrong = altered(lambda tensors: tensors["scores"].__iadd__(1))
    for arguments, words in (
        (
            (smartbot, tmp_path / "x", "--to", "csv"),
            "unknown format 'csv'; the formats are episodes, ah2ac2, hanablive",
        ),
        ((wrong, tmp_path / "x"), "it replays to score"),
        ((tmp_path / "none", tmp_path / "x"), "there is no such file"),
    ):
        answer = run("convert", *arguments)
        assert isinstance(answer.exception, DataError)
        assert words in str(answer.exception)
        assert not (tmp_path / "x").exists()


def test_split_writes_two_files_without_a_common_deck(smartbot: Path, tmp_path: Path):
    answer = run("split", smartbot, "--train", "15", "--out", tmp_path / "parts")
    assert answer.exit_code == 0, answer.output
    train, val = (load_games(tmp_path / "parts" / f"smartbot_3p_{part}.safetensors") for part in ("train", "val"))
    assert (len(train), len(val)) == (15, 5)
    assert not {deck.tobytes() for deck in train.decks} & {deck.tobytes() for deck in val.decks}
    assert "smartbot_3p_val.safetensors: 5 games" in answer.stdout


def test_folders_are_recognised_by_what_they_hold(tmp_path: Path):
    answer = run("inspect", tmp_path)
    assert "none of the kinds of games that can be read: coplay episodes, AH2AC2 games" in str(answer.exception)


def test_inspect_lists_trials_of_cooks(recorded: Callable[[str], Path], tmp_path: Path):
    trial = recorded("overcooked/human/debug_cramped_room.npz")
    answer = run("inspect", trial)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.startswith("Overcooked trials: 1 of 2 players (overcooked?horizon=301&dynamics=new&chefs=2)")
    assert "replay: all 1 games obey the rules" in answer.stdout
    converted = run("convert", trial, tmp_path / "x")
    assert "this format holds Hanabi games" in str(converted.exception)
    assert run("convert", trial, tmp_path / "kitchen.safetensors", "--to", "episodes").exit_code == 0
    assert "coplay episodes: 1 of 2 players" in run("inspect", tmp_path / "kitchen.safetensors").stdout
