"""An evaluation that ends by itself plays no more than it needs, and is then one like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.evaluated.several import evaluate_several
from coplay.measure.evaluated.until import known_mean, stages
from coplay.measure.evaluation import read_evaluation
from coplay.report.pages.evaluation import write_report

GAME = "hanabi-very-small"


def evaluated(out: Path, games: int, **more: Any) -> Any:
    return coplay.evaluate(GAME, "random", ["simplebot"], games, out=out, **more)


def test_it_ends_when_enough_is_known(tmp_path: Path):
    found = evaluated(tmp_path / "run", 5000, until=0.25)
    assert found.run.games < 5000
    known = known_mean(found.run, found.games)
    assert (known.high - known.low) / 2 <= 0.25
    before = known_mean(found.run, {team: rows[: len(rows) // 2] for team, rows in found.games.items()})
    assert (before.high - before.low) / 2 > 0.25
    assert found.run.games == json.loads((tmp_path / "run" / "run.json").read_text())["games"]
    alone = evaluated(tmp_path / "alone", found.run.games)
    assert (tmp_path / "run" / "games.csv").read_bytes() == (tmp_path / "alone" / "games.csv").read_bytes()
    assert found.overall == alone.overall
    page = write_report(read_evaluation(tmp_path / "run")).folder.joinpath("report.html").read_text()
    assert "known to 0.25 points either way" in page


def test_it_goes_on_where_it_stopped_and_ends_at_the_most(tmp_path: Path):
    assert evaluated(tmp_path, 20, until=0.01).run.games == 20
    assert evaluated(tmp_path, 50, until=0.01).run.games == 50  # more may be allowed later
    assert evaluated(tmp_path, 20, until=0.01).run.games == 50  # and nothing is thrown away
    with pytest.raises(MeasureError, match="another evaluation"):
        evaluated(tmp_path, 50, until=0.5)


def test_it_looks_after_twice_as_many_games():
    assert stages(50, 0) == [8, 16, 32, 50]
    assert stages(50, 20) == [32, 50]
    assert stages(8, 0) == [8]


def test_what_cannot_end_by_itself_is_told(tmp_path: Path):
    with pytest.raises(MeasureError, match="above 0"):
        evaluated(tmp_path / "run", 10, until=0)
    with pytest.raises(MeasureError, match="overcooked has no highest score"):
        coplay.evaluate("overcooked?horizon=5", "stay", ["random"], 10, out=tmp_path / "run", until=1)
    with pytest.raises(MeasureError, match="is of one agent"):
        evaluate_several(GAME, ["random", "simplebot"], ["valuebot"], 10, out=tmp_path / "run", until=1)
    assert not (tmp_path / "run").exists()
