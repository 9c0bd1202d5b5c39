"""What evaluations of shipped games gave before the core forgot the games: scores, rates and unit tests."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.measure.robustness import read_robustness

RATES = {  # with its own copies, with partners
    "communicativeness": (0.5885214008, 0.6175271739),
    "information per play": (0.8048780488, 0.7561307902),
    "misplays": (0.06775067751, 0.06811989101),
    "oldest card discarded": (0.7583148559, 0.9434343434),
}
EVENTS = {
    "onion_pickup": (16.5, 12.9375),
    "dish_pickup": (5.5, 7.3125),
    "soup_delivery": (5, 6.75),
    "tomato_drop": (0, 0),
}


def evaluate(folder: Path, *words: str) -> dict:
    found = CliRunner().invoke(app, ["evaluate", *words, "--out", str(folder)])
    assert found.exit_code == 0, found.output
    return json.loads((folder / "summary.json").read_text())


def rates(folder: Path) -> dict[str, tuple[float, float]]:
    rows = csv.DictReader((folder / "figures" / "behaviour.csv").read_text().splitlines())
    return {row["rate"]: (float(row["copies"] or "nan"), float(row["partners"] or "nan")) for row in rows}


def test_hanabi(tmp_path: Path):
    found = evaluate(tmp_path / "run", "piers", "--players", "2", "--partners", "iggi,flawed", "--games", "20")
    own, overall = found["self_play"], found["overall"]
    assert [own["mean"][part] for part in ("value", "low", "high")] == pytest.approx([17.2, 16.3, 18.05])
    assert [overall["mean"][part] for part in ("value", "low", "high")] == pytest.approx([8.75, 0, 18.075])
    assert found["proximity"]["br_prox"]["value"] == pytest.approx(0.8945001)
    for name, pair in RATES.items():
        assert rates(tmp_path / "run")[name] == pytest.approx(pair), name
    tests = read_robustness(tmp_path / "run" / "tests")
    assert {one.category: one.score.value for one in tests.categories} == pytest.approx(
        {"state": 0.8, "agent": 0.675, "memory": 2 / 3}
    )
    page = (tmp_path / "run" / "report.html").read_text()
    assert "58% of 1,425 moves with its own copies break no principle" in page


def test_a_kitchen(tmp_path: Path):
    words = ["--game", "overcooked", "--layout", "cramped_room", "--partners", "stay,pot-filler", "--games", "4"]
    found = evaluate(tmp_path / "run", "greedy-cook", *words)
    assert found["overall"]["mean"]["value"] == 135
    assert found["proximity"]["br_prox"]["value"] == pytest.approx(0.9266779)
    counts = rates(tmp_path / "run")
    for name, pair in EVENTS.items():
        assert counts[name] == pytest.approx(pair), name
    assert "overcooked (cramped_room)" in (tmp_path / "run" / "report.html").read_text()
