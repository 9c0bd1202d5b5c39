"""The page of a tournament and the command that makes it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli import app
from coplay.measure.dropin.results import Tournament
from coplay.report.pages.tournament import print_tournament, write_tournament

PLAIN = """import coplay
class First(coplay.Agent):
    def act(self, view):
        return int(view.legal.argmax())
class Last(coplay.Agent):
    def act(self, view):
        return len(view.legal) - 1 - int(view.legal[::-1].argmax())
"""


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Two agents that nothing has to be compiled for."""
    file = tmp_path_factory.mktemp("agents") / "plain.py"
    file.write_text(PLAIN)
    return [f"file:{file}:First", f"file:{file}:Last"]


@pytest.fixture(scope="module")
def done(plain: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Tournament]:
    """A small tournament in a kitchen."""
    kitchen = coplay.make("overcooked", layout="cramped_room", horizon=20)
    out = tmp_path_factory.mktemp("cup") / "out"
    result = coplay.tournament(kitchen, ["stay", "random", *plain], 2, out=out, reference=["stay", "random"])
    write_tournament(result)
    return out, result


def test_the_page_is_well_formed_and_complete(done: tuple[Path, Tournament]):
    text = (done[0] / "report.html").read_text()
    page = ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))
    headings = [node.text for node in page.iter("h2")]
    assert headings[:3] == ["Teamwork apart from skill", "Skill and teamwork", "All numbers"]
    assert "Who works with whom" not in headings  # with four agents in pairs the model cannot tell pairs from strength
    assert "https://" not in text
    assert "overcooked (cramped_room)" in text
    assert "In the order of normTeamworkAGD" in text


def test_tables_and_summary_agree(done: tuple[Path, Tournament], capsys: pytest.CaptureFixture):
    folder, result = done
    print_tournament(result)
    shown = capsys.readouterr().out
    rows = list(csv.DictReader((folder / "agents.csv").read_text().splitlines()))
    summary = json.loads((folder / "summary.json").read_text())
    assert [row["agent"] for row in rows] == [line["agent"] for line in summary["standings"]]
    assert all(f"{line['teamwork']['value']:+.2f}" in shown for line in summary["standings"])
    assert {row["normTeamworkAGD"] for row in rows if row["agent"] in ("stay", "random")} == {"0"}
    matches = list(csv.DictReader((folder / "matches.csv").read_text().splitlines()))
    assert len(matches) == 3
    for row in matches:
        apart = float(row["mean a"]) - float(row["mean b"])
        assert float(row["goal difference"]) == pytest.approx(apart, abs=1e-6)


def test_the_command_names_its_folder_and_goes_on_in_it(
    plain: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    words = [
        "tournament",
        *plain,
        "random",
        "simplebot",
        "--game",
        "hanabi-very-small",
        "--games",
        "2",
        "--matches",
        "1",
    ]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 0, found.output
    assert found.stdout.strip().endswith("runs/tournament-hanabi-very-small-2p-4-agents-2-games-seed-0/report.html")
    again = CliRunner().invoke(app, words)
    assert again.stdout == found.stdout
    assert "42 of 42 teams were played before" in again.output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["tournament", "random", "iggi", "--games", "0"], "--games"),
        (["tournament", "random", "iggi", "--players", "7"], "players"),
    ],
)
def test_mistakes_at_the_command_line_write_nothing(tmp_path: Path, words: list[str], says: str):
    found = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "new")])
    assert found.exit_code != 0
    assert says in found.output + str(found.exception)
    assert not (tmp_path / "new").exists()
