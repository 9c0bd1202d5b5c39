"""Learning curves: all seeds, several runs, numbers beside every picture."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from coplay.cli.app import app
from coplay.measure import MeasureError
from coplay.report.learning import POINTS, learning_chart, read_learned, short_number, shown_metrics, thinned


def logged(folder: Path, lines: list[dict[str, object]]) -> Path:
    folder.mkdir()
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines) + '{"cut')
    return folder


@pytest.fixture
def learner(tmp_path: Path) -> Path:
    lines = [{"updates": n, "turns": 100 * n, "loss": [0.5, 0.25], "score": [n, 3.0 * n]} for n in (1, 2, 4)]
    return logged(tmp_path / "learner", lines)  # pyright: ignore[reportArgumentType]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    lines = [{"number": seed, "epoch": n, "loss": n + seed / 2} for n in (1, 2) for seed in (0, 1)]
    return logged(tmp_path / "clone", lines)  # pyright: ignore[reportArgumentType]


def test_the_log_of_learners_and_of_clones_is_read(learner: Path, clone: Path):
    found = read_learned(learner)
    assert shown_metrics([found]) == ["score", "loss"]
    places, values = found.figures["score"]
    assert (found.unit, places.tolist(), values.tolist()) == ("turns", [100, 200, 400], [[1, 3], [2, 6], [4, 12]])
    places, values = read_learned(clone).figures["loss"]
    assert (places.tolist(), values.tolist()) == ([1, 2], [[1, 1.5], [2, 2.5]])


def test_a_picture_has_a_line_per_seed_and_their_mean(learner: Path):
    picture = ElementTree.fromstring(learning_chart([read_learned(learner)], "score"))
    lines = [line for line in picture.iter("line") if "learn" in line.get("class", "")]
    assert [sum(kind in line.get("class", "") for line in lines) for kind in ("seed", "mean")] == [4, 2]
    ends = [float(line.get("y2", "")) for line in lines if "mean" in line.get("class", "")]
    assert ends[0] > ends[1]  # upwards


def test_long_logs_are_thinned_to_what_can_be_told_apart():
    places, values = thinned(np.arange(1000.0), np.arange(1000.0)[:, None])
    assert (len(places), places[-1], values[0, 0]) == (POINTS, 999, 4)  # nine lines in the first part, 0 to 8


def test_the_command_writes_a_page_pictures_and_numbers(learner: Path, clone: Path, tmp_path: Path):
    done = CliRunner().invoke(app, ["curve", str(learner), "--metric", "score"])
    assert done.exit_code == 0, done.output
    assert f"{learner}: score 8 after 400 turns (4 12)" in done.stdout
    rows = list(csv.DictReader((learner / "curves/figures/score.csv").read_text().splitlines()))
    assert rows[-1] == {"run": str(learner), "turns": "400", "seed": "1", "score": "12"}
    ElementTree.parse(learner / "curves/figures/score.svg")
    assert "Learning curves" in (learner / "curves/report.html").read_text()
    for words, says in (
        ([str(learner), str(clone), "--out", str(tmp_path / "x")], "draw those that count alike"),
        ([str(learner), str(learner)], "say where to"),
        ([str(learner), "--metric", "scor"], "Did you mean 'score'"),
        ([str(tmp_path)], "has no log"),
    ):
        with pytest.raises(MeasureError, match=says):
            CliRunner().invoke(app, ["curve", *words], catch_exceptions=False)


def test_numbers_are_short():
    assert [short_number(value) for value in (0, 950, 2500, 3e6, 1e10)] == ["0", "950", "2.5k", "3M", "10G"]
