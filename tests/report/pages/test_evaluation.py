"""The page of an evaluation: complete, readable as XML, sealed off from the network, deaf to markup in names."""

from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import coplay
from coplay.files import write_whole
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.evaluated.compare import compare
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.evaluated.play import play_evaluation
from coplay.report.pages.comparison import comparison_page
from coplay.report.pages.evaluation import command, write_report
from coplay.report.terminal import print_comparison, print_evaluation

ODD = """import coplay
class Odd(coplay.Agent):
    def act(self, view):
        return int(view.legal.argmax())
"""


def evaluate(*given: Any, **named: Any) -> EvaluationFolder:
    return play_evaluation(*given, **named).folder


@pytest.fixture(scope="module")
def game() -> Game:
    return coplay.make("hanabi-very-small", players=2)


@pytest.fixture(scope="module")
def odd(game: Game, tmp_path_factory: pytest.TempPathFactory) -> EvaluationFolder:
    """The run of an agent whose name would break a careless page."""
    place = tmp_path_factory.mktemp("odd")
    file = place / "a<b>&\"c'.py"
    file.write_text(ODD)
    folder = evaluate(game, f"file:{file}:Odd", place / "run", ["random", "simplebot"], games=6)
    write_report(folder)
    return folder


def tree(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text.removeprefix("<!DOCTYPE html>\n"))


def addresses(text: str) -> set[str]:
    """Everything that looks like an address, but for the name of the SVG language."""
    return set(re.findall(r"https?://[\w./-]+", text)) - {"http://www.w3.org/2000/svg"}


def test_the_page_is_well_formed_and_asks_nobody(odd: EvaluationFolder):
    text = (odd / "report.html").read_text()
    page = tree(text)
    assert not addresses(text)
    assert not [node for node in page.iter() if node.tag in ("script", "link", "img")]
    assert {node.text for node in page.iter("h2")} >= {
        "How good, how sure",
        "With whom",
        "Its worst game",
        "All scores",
    }


def test_names_are_text_not_markup(odd: EvaluationFolder):
    page = tree((odd / "report.html").read_text())
    agent = odd.run().agent
    heading = page.find(".//h1")
    assert heading is not None
    assert heading.text == agent
    assert not [node for node in page.iter() if node.tag == "b" and node.text and "c'" in node.text]


def test_the_worst_game_can_be_stepped_through(odd: EvaluationFolder):
    frame = tree((odd / "report.html").read_text()).find(".//iframe")
    assert frame is not None
    assert frame.attrib["srcdoc"].startswith("<!doctype html>")
    assert 'id="step"' in frame.attrib["srcdoc"]
    assert "<b>&" not in frame.attrib["srcdoc"].split("<script")[0]


def test_the_page_follows_light_dark_and_paper(odd: EvaluationFolder):
    text = (odd / "report.html").read_text()
    for words in ("prefers-color-scheme: dark", "@media print", "width=device-width"):
        assert words in text


def test_rates_with_long_intervals_may_break_on_a_phone(odd: EvaluationFolder):
    assert '<div class="loose"><div class="scroll"><table>' in (odd / "report.html").read_text()


def test_every_figure_has_its_numbers_beside_it(odd: EvaluationFolder):
    figures = sorted((odd / "figures").glob("*.svg"))
    assert [file.stem for file in figures] == ["partners", "scores"]
    rows: list[dict[str, str]] = []
    for file in figures:
        assert ElementTree.parse(file).getroot().tag.endswith("svg")
        rows = list(csv.DictReader(file.with_suffix(".csv").read_text().splitlines()))
        assert len(rows) >= 3
    shares = [float(row["share of games with partners"]) for row in rows]
    assert sum(shares) == pytest.approx(1)


def test_the_page_can_be_made_again(odd: EvaluationFolder):
    before = (odd / "report.html").read_text()
    write_report(odd)
    assert (odd / "report.html").read_text() == before


@pytest.mark.parametrize(("name", "value"), [("coplay", "0.0.1"), ("game_version", 99)])
def test_a_folder_of_another_version_gets_no_new_page(odd: EvaluationFolder, tmp_path: Path, name: str, value: object):
    folder = EvaluationFolder(shutil.copytree(odd.path, tmp_path / "run"))
    write_whole(folder / "run.json", json.dumps(json.loads((folder / "run.json").read_text()) | {name: value}))
    before = {file: file.read_bytes() for file in folder.path.rglob("*") if file.is_file()}
    with pytest.raises(MeasureError, match=f"version {value}|coplay {value}"):
        write_report(folder)
    assert before == {file: file.read_bytes() for file in folder.path.rglob("*") if file.is_file()}


def test_tables_and_comparison_of_odd_names(
    odd: EvaluationFolder, game: Game, tmp_path: Path, capsys: pytest.CaptureFixture
):
    other = evaluate(game, "valuebot", tmp_path / "other", ["random", "simplebot"], games=6)
    print_evaluation(write_report(other))
    result = compare([odd, other])
    print_comparison(result)
    shown = capsys.readouterr().out
    assert "(its own copies)" in shown
    assert "B − A" in shown
    text = comparison_page(result)
    assert not addresses(text)
    heading = tree(text).find(".//h1")
    assert heading is not None
    assert heading.text == f"{odd.run().agent} or valuebot?"


def test_a_kitchen_gets_a_page(tmp_path: Path):
    kitchen = coplay.make("overcooked", layout="cramped_room", horizon=20)
    folder = evaluate(kitchen, "stay", tmp_path / "kitchen", ["random"], games=2)
    summary = write_report(folder)
    page = tree((folder / "report.html").read_text())
    assert page.find(".//iframe") is not None
    assert "--game 'overcooked?horizon=20'" in command(summary.run)
    assert "overcooked (cramped_room), horizon 20, 2 players" in (folder / "report.html").read_text()


def test_three_players_get_a_page(tmp_path: Path):
    game = coplay.make("hanabi-very-small", players=3)
    folder = evaluate(game, "random", tmp_path / "three", ["simplebot"], games=2, seatings="all")
    write_report(folder)
    text = (folder / "report.html").read_text()
    assert all(way in text for way in ("APP", "PAP", "PPA", "AAP", "APA", "PAA"))
    assert "Few partners (1)" in text


def test_a_forfeited_game_is_shown_with_its_reason(game: Game, tmp_path: Path):
    file = tmp_path / "rude.py"
    file.write_text(ODD.replace("return int(view.legal.argmax())", "raise ValueError('<no>')"))
    folder = evaluate(game, f"file:{file}:Odd", tmp_path / "out", ["random"], games=6)
    write_report(folder)
    text = (folder / "report.html").read_text()
    tree(text)
    assert "18 games were forfeited" in text
    assert "ValueError: &lt;no&gt;" in text
