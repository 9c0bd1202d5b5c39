"""Measures of other packages and of files: played by the runner of our own, with a page."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.measure import MeasureError
from coplay.measure.study.outside import find_measure
from coplay.registry import plugins

OWN = Path(__file__).parents[2] / "own"
LEVERS = f"file:{OWN}/levers.py"


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A package with a measure, as pip leaves it."""
    (tmp_path / "their_measures.py").write_text((OWN / "loyalty.py").read_text())
    about = tmp_path / "their_measures-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: their-measures\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[coplay.measures]\nloyalty = their_measures:Loyalty\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    plugins.cache_clear()
    yield
    plugins.cache_clear()


def ask(name: str, *words: str) -> str:
    agents = [f"{LEVERS}:First", f"{LEVERS}:Follow", "random"]
    found = CliRunner().invoke(app, ["measure", name, *agents, "--game", f"{LEVERS}:Levers", "--games", "3", *words])
    assert found.exit_code == 0, found.output + str(found.exception)
    return found.stdout


@pytest.mark.usefixtures("installed")
def test_a_measure_of_another_package_is_found_by_its_name(tmp_path: Path):
    folder = tmp_path / "run"
    assert "loyalty=" in ask("loyalty", "--out", str(folder))
    found = json.loads((folder / "summary.json").read_text())["loyalty"]
    assert found[f"{LEVERS}:First"] > 0
    page = ElementTree.fromstring((folder / "report.html").read_text().removeprefix("<!DOCTYPE html>\n"))
    assert [node.text for node in page.iter("h2")] == ["Loyalty", "Every team", "How it was measured"]
    games = (folder / "games.csv").read_text()
    (folder / "games.csv").write_text(games[: len(games) // 2])
    ask("loyalty", "--out", str(folder))
    assert sorted((folder / "games.csv").read_text().split()) == sorted(games.split())


def test_a_measure_in_a_file_works_too(tmp_path: Path):
    assert "loyalty=" in ask(f"file:{OWN}/loyalty.py:Loyalty", "--out", str(tmp_path / "run"))


@pytest.mark.usefixtures("installed")
def test_mistakes_are_told(tmp_path: Path):
    with pytest.raises(MeasureError, match=r"unknown measure 'loyalti'.*Did you mean 'loyalty'"):
        find_measure("loyalti")
    file = tmp_path / "alone.py"
    file.write_text("class Alone:\n    def plan(self, game, agents):\n        return [(agents[0],)]\n")
    found = CliRunner().invoke(app, ["measure", f"file:{file}:Alone", "random", "--out", str(tmp_path / "run")])
    assert "plans the team random; a team of hanabi has 2" in str(found.exception)
    assert not (tmp_path / "run").exists()
