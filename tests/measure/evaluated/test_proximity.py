"""Best-response proximity in an evaluation and its report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.measure.evaluated import proximity as wired
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun, GameRow
from coplay.measure.evaluated.play import play_evaluation as evaluate
from coplay.measure.study.cast import Cast
from coplay.pool.ceilings import Ceiling, Figure
from coplay.pool.reference import Met
from coplay.report.pages.evaluation import write_report
from coplay.report.sections.proximity import proximity_section
from coplay.report.terminal import print_evaluation


def ceiling(best: float, own: float) -> Ceiling:
    return Ceiling(Figure(best, 0.1, 100), Figure(own, 0.1, 100))


def rows(partner: str, way: str, *scores: float) -> list[GameRow]:
    return [GameRow("me", partner, way, 0, i, score, 9, {}, "") for i, score in enumerate(scores)]


def run_of(game: Any, *partners: str) -> EvaluationRun:
    asked = {"agent": "me", "partners": partners, "seatings": "each", "games": 2, "seed": 0}
    return EvaluationRun.of(game, Cast({}, {}), format=EvaluationFolder.format, **asked)


def test_seats_are_averaged_and_only_lone_agents_count(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wired, "ceilings", lambda game, table, judged: {"a": ceiling(20, 18), "b": ceiling(10, 16)})
    teams = {
        ("a", "APP"): rows("a", "APP", 10, 10),
        ("a", "PAP"): rows("a", "PAP", 20, 20),
        ("a", "AAP"): rows("a", "AAP", 0, 0),  # what the best response never did
        ("b", "APP"): rows("b", "APP", 4, 4),
        ("b", "PAP"): rows("b", "PAP", 4, 4),
        ("c", "APP"): rows("c", "APP", 9, 9),
    }
    found = wired.evaluated_proximity(run_of(coplay.make("hanabi", players=3), "a", "b", "c"), teams)
    assert found is not None
    assert [(one.partner, one.proximity.value) for one in found.partners] == [("a", 0.75), ("b", 0.25)]
    assert found.br_prox.value == pytest.approx(0.5)
    assert found.moderate is not None
    assert found.moderate.value == 0.25  # b, whose self-play is the lower one
    assert found.expert is not None
    assert found.expert.value == 0.75
    assert found.without_ceiling == ("c",)
    assert not found.warnings


def test_a_beaten_ceiling_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(wired, "ceilings", lambda game, table, judged: {"a": ceiling(10, 5)})
    found = wired.evaluated_proximity(run_of(coplay.make("hanabi"), "a"), {("a", "AP"): rows("a", "AP", 12, 14)})
    assert found is not None
    assert found.partners[0].beaten
    assert found.partners[0].proximity.value == 1
    assert "13 against 10" in found.warnings[0]
    page = proximity_section(found)
    assert "It beat the ceiling of a (13.00 against 10.00), so that was none." in page
    assert "ceilings are beaten" not in page, "said once"


def test_nobody_is_judged_by_a_ceiling_of_its_own(monkeypatch: pytest.MonkeyPatch):
    table = {
        ("me", "smartbot"): Met("all", 100, 24.5, 0.1),
        ("somebody", "smartbot"): Met("all", 100, 24.0, 0.1),
        ("smartbot", "smartbot"): Met("all", 100, 23.0, 0.1),
    }
    monkeypatch.setattr(wired, "reference", lambda game: table)
    teams = {("smartbot", "AP"): rows("smartbot", "AP", 12, 12)}
    found = wired.evaluated_proximity(run_of(coplay.make("hanabi"), "smartbot"), teams)
    assert found is not None
    assert (found.partners[0].ceiling, found.partners[0].held_by) == (24.0, "somebody")


def test_other_rules_have_no_ceilings():
    teams = {("smartbot", "AP"): rows("smartbot", "AP", 1)}
    assert wired.evaluated_proximity(run_of(coplay.make("hanabi"), "smartbot"), teams) is not None
    assert wired.evaluated_proximity(run_of(coplay.make("hanabi", life_tokens=1), "smartbot"), teams) is None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> EvaluationFolder:
    game = coplay.make("hanabi-very-small", players=2)
    out = tmp_path_factory.mktemp("run") / "out"
    return evaluate(game, "simplebot", out, ["random"], games=8, seed=3).folder


def test_the_report_shows_it_where_there_are_ceilings(
    folder: EvaluationFolder, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    assert write_report(folder).proximity is None
    assert "best response" not in (folder / "report.html").read_text()
    monkeypatch.setattr(wired, "ceilings", lambda game, table, judged: {"random": ceiling(0, 0)})
    print_evaluation(write_report(folder))
    assert "BR-Prox 1.000" in capsys.readouterr().out
    page = (folder / "report.html").read_text()
    assert "How near to the best response" in page
    assert "1 of 1 ceilings are 0" in page
    assert Path(folder / "figures/proximity.svg").is_file()
    assert (folder / "figures/proximity.csv").read_text().splitlines()[1].startswith("random,")
