"""The validation reward on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.evaluated.tests import FOLDER, check_validation, results_of_validation, run_validation
from coplay.measure.robustness import validate
from coplay.report.sections.validation import validation_section

GAME = "overcooked?layout=bottleneck&horizon=10"


def test_an_evaluation_shows_what_was_scored_with_held_out_partners(tmp_path: Path):
    assert validation_section(results_of_validation(tmp_path)) == ""
    validate(GAME, "stay", ["greedy-cook", "random"], 2, out=tmp_path / FOLDER)
    shown = validation_section(results_of_validation(tmp_path))
    assert "Validation reward" in shown
    assert "greedy-cook" in shown
    assert "the agent in every seat, 2 games each" in shown


def test_a_game_that_holds_nobody_out_is_refused_before_it_is_played() -> None:
    check_validation(coplay.make(GAME))
    with pytest.raises(MeasureError, match="leave --validation out"):
        check_validation(coplay.make("hanabi"))


def test_an_evaluation_validates_with_the_partners_of_its_world(tmp_path: Path, monkeypatch: Any):
    asked = []
    monkeypatch.setattr("coplay.measure.evaluated.tests.validate", lambda *given, **more: asked.append((given, more)))
    run_validation(EvaluationFolder(tmp_path), GAME, "stay", seed=3)
    ((given, more),) = asked
    assert given[:3] == (GAME, "stay", None)
    assert given[4] == 3
    assert more["out"] == tmp_path / FOLDER
