"""Cross-play on paper: the order of a clustered picture, the columns of the files, the command."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from coplay.cli import app
from coplay.measure.crossplay import CrossPlay
from coplay.report.matrix import clustered, save_matrix

PLAIN = """import coplay
class First(coplay.Agent):
    def act(self, view):
        return int(view.legal.argmax())
"""


def test_friends_stand_next_to_each_other():
    friends = np.array([[9.0, 1, 8, 1], [1, 9, 1, 7], [8, 1, 9, 1], [1, 7, 1, 9]])
    order = clustered(friends)
    assert sorted(order) == [0, 1, 2, 3]
    assert abs(order.index(0) - order.index(2)) == 1
    assert abs(order.index(1) - order.index(3)) == 1


def test_the_file_keeps_the_order_of_the_agents(tmp_path: Path):
    scores = np.arange(27, dtype=np.float32).reshape(3, 3, 3)
    save_matrix(CrossPlay.of(("b", "a", "c"), scores), tmp_path / "m.csv")
    rows = list(csv.DictReader((tmp_path / "m.csv").read_text().splitlines()))
    assert list(rows[0]) == ["seat 0", "other seats", "games", "mean", "standard error", "median"]
    assert [row["seat 0"] for row in rows] == ["b"] * 3 + ["a"] * 3 + ["c"] * 3
    assert [float(row["mean"]) for row in rows] == [1, 4, 7, 10, 13, 16, 19, 22, 25]
    assert (tmp_path / "m.svg").read_text().startswith("<?xml")


def test_all_teams_at_the_command_line(tmp_path: Path):
    (tmp_path / "mine.py").write_text(PLAIN)
    words = ["crossplay", f"file:{tmp_path}/mine.py:First", "random", "--game", "hanabi-very-small", "--games", "3"]
    done = CliRunner().invoke(app, [*words, "--teams", "all", "--out", str(tmp_path / "teams.csv")])
    assert done.exit_code == 0, done.output
    rows = list(csv.DictReader((tmp_path / "teams.csv").read_text().splitlines()))
    assert [row["seatings"] for row in rows] == ["1", "1", "2"]
    assert [row["games"] for row in rows] == ["3", "3", "6"]
    assert len((tmp_path / "teams-seatings.csv").read_text().splitlines()) == 5
    assert (tmp_path / "teams.svg").is_file()


@pytest.mark.parametrize(
    ("words", "says"),
    [(["random", "--teams", "some"], "pairs, two, all"), (["randm", "--teams", "all"], "unknown agent 'randm'")],
)
def test_mistakes_write_nothing(tmp_path: Path, words: list[str], says: str):
    done = CliRunner().invoke(app, ["crossplay", *words, "--out", str(tmp_path / "new.csv")])
    assert done.exit_code != 0
    assert says in str(done.exception)
    assert not list(tmp_path.iterdir())
