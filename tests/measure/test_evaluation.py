"""`coplay.evaluate` for somebody in a notebook: objects in, a short result with tables out."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
from pathlib import Path

import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.evaluation import Evaluation, read_evaluation
from coplay.report.pages.evaluation import write_report
from tests.own.levers import First, Follow, Levers


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    folder = tmp_path_factory.mktemp("run") / "out"
    partners = {"echo": Follow(), "chance": "random"}
    return coplay.evaluate("file:tests/own/levers.py:Levers", First(), partners, games=4, name="mine", out=folder)


def test_objects_are_judged_and_the_result_is_short(found: Evaluation):
    assert repr(found).startswith("<mine in levers: ")
    assert repr(found).endswith("with 2 partners, 3.00 alone>")
    assert [met.partner for met in found.partners] == ["echo", "chance"]
    assert found.partners[0].seatings[0].mean.value == 3
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.method = "other"  # pyright: ignore[reportAttributeAccessIssue]


def test_it_is_a_table_as_html_and_json(found: Evaluation, tmp_path: Path):
    assert [row["partner"] for row in found.rows()] == ["its own copies", "echo", "chance", "all partners"]
    assert found._repr_html_().count("<tr>") == 5
    assert json.loads(found.to_json(tmp_path / "found.json"))["run"]["agent"] == "mine"
    assert json.loads((tmp_path / "found.json").read_text())["self_play"]["mean"]["value"] == 3


def test_it_is_read_from_its_folder_again_and_has_a_page(found: Evaluation):
    assert read_evaluation(found.folder) == found
    write_report(EvaluationFolder(found.folder))
    assert "mine" in (found.folder / "report.html").read_text()


def test_a_table_needs_pandas_and_says_so(found: Evaluation):
    if importlib.util.find_spec("pandas") is None:
        with pytest.raises(MeasureError, match="pip install pandas"):
            found.to_dataframe()
    else:
        assert list(found.to_dataframe()["partner"]) == [row["partner"] for row in found.rows()]


def test_a_game_that_lives_in_the_program_alone_is_judged_too():
    class Here(Levers):
        name = "here"

    found = coplay.evaluate(Here(rounds=2), First(), [Follow()], games=2)  # pyright: ignore[reportArgumentType]
    assert found.overall.mean.value == 2
    assert found.proximity is None
