"""A game in a file of its own, with nothing but its rules: every measure works, and no page speaks of other games."""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path
from unittest import mock
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from coplay.cli import app

OWN = Path(__file__).parents[1] / "own"
LEVERS, WORDS = f"file:{OWN}/levers.py", f"file:{OWN}/words.py"
FOREIGN = re.compile(r"hanabi|overcooked|lives|hints?\b|kitchen|conventions|unit tests|chef|layout", re.IGNORECASE)


def coplay(*words: str) -> str:
    with mock.patch.object(sys, "argv", ["coplay", *words]):  # pages tell what was typed
        found = CliRunner().invoke(app, list(words))
    assert found.exit_code == 0, found.output + str(found.exception)
    return found.stdout


def headings(folder: Path) -> set[str | None]:
    """The page is well-formed, no section is empty, and nothing speaks of another game."""
    text = (folder / "report.html").read_text()
    page = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    for part in page.iter("section"):
        assert len(list(part)) > 1, ElementTree.tostring(part)
    words = " ".join(node for part in page.iter("body") for node in part.itertext())
    assert FOREIGN.findall(words) == []
    return {node.text for node in page.iter("h2")}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("own") / "run"
    words = ["--partners", f"{LEVERS}:Follow,random", "--games", "4", "--jobs", "1", "--out", str(folder)]
    return folder, coplay("evaluate", f"{LEVERS}:First", "--game", f"{LEVERS}:Levers?rounds=2", *words)


def test_an_evaluation_says_how_good_and_with_whom(evaluated: tuple[Path, str]):
    folder, shown = evaluated
    assert "levers" in shown
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["self_play"]["mean"]["value"] == 2
    assert summary["partners"][0]["mean"]["value"] == 2
    assert summary["partners"][1]["mean"]["value"] < 2
    assert headings(folder) == {
        "How good, how sure",
        "With whom",
        "Partners it fails with",
        "Its worst game",
        "All scores",
        "Seat by seat",
        "How it was measured",
    }


def test_its_folder_names_the_file_of_the_game_and_goes_on(evaluated: tuple[Path, str]):
    folder, _ = evaluated
    run = json.loads((folder / "run.json").read_text())
    assert run["game_spec"] == f"{LEVERS}:Levers?rounds=2"
    assert run["files"][run["game_spec"]].startswith("sha256:")
    before = (folder / "games.csv").read_text()
    (folder / "games.csv").write_text(before[: len(before) // 2])
    words = ["--partners", f"{LEVERS}:Follow,random", "--games", "4", "--jobs", "1", "--out", str(folder)]
    coplay("evaluate", f"{LEVERS}:First", "--game", f"{LEVERS}:Levers?rounds=2", *words)
    assert sorted((folder / "games.csv").read_text().split()) == sorted(before.split())
    assert "levers" in coplay("report", str(folder))
    assert "game 0" in coplay("replay", str(folder / "games" / "00-AA.safetensors"), "--game", "0")


def test_several_processes_make_the_game_again(tmp_path: Path):
    words = ["--partners", "random", "--games", "3", "--out", str(tmp_path / "run"), "--jobs", "2"]
    coplay("evaluate", f"{WORDS}:Honest", "--game", f"{WORDS}:Words?numbers=4", *words)
    assert "perfect games" in (tmp_path / "run" / "report.html").read_text()
    headings(tmp_path / "run")


def test_cross_play_and_self_play(tmp_path: Path):
    shown = coplay("crossplay", f"{LEVERS}:First", "random", "--game", f"{LEVERS}:Levers", "--games", "3")
    assert "3.00" in shown
    assert "1.00" in coplay("selfplay", f"{WORDS}:Honest", "--game", f"{WORDS}:Words", "--games", "3")


def test_a_tournament(tmp_path: Path):
    shutil.copy(OWN / "levers.py", tmp_path / "theirs.py")
    agents = [f"{LEVERS}:First", f"{LEVERS}:Follow", "random", f"file:{tmp_path}/theirs.py:First"]
    words = ["--game", f"{LEVERS}:Levers", "--games", "2", "--matches", "3", "--out", str(tmp_path / "run")]
    coplay("tournament", *agents, *words)
    headings(tmp_path / "run")


def test_ad_hoc_teams(tmp_path: Path):
    words = ["--trials", "2", "--sets", "2", "--observe", "0,1", "--out", str(tmp_path / "run")]
    partners = ["--partners", f"{LEVERS}:First,random"]
    coplay("adhoc", f"{LEVERS}:Follow", "--game", f"{LEVERS}:Levers", *partners, *words)
    headings(tmp_path / "run")


@pytest.mark.parametrize(
    ("command", "lacks"), [("robustness", "no unit tests"), ("behaviour", "counts nothing about behaviour")]
)
def test_a_measure_that_needs_a_face_says_so(command: str, lacks: str):
    found = CliRunner().invoke(app, [command, "random", "--game", f"{LEVERS}:Levers"])
    assert found.exit_code != 0
    assert f"levers {'has ' if command == 'robustness' else ''}{lacks}" in str(found.exception)
