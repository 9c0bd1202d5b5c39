"""Self-play as files."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli import app
from coplay.measure.selfplay import SelfPlay, selfplay
from coplay.report.pages.selfplay import selfplay_figure, write_selfplay


@pytest.fixture(scope="module")
def result() -> SelfPlay:
    return selfplay(coplay.make("hanabi-very-small"), "random", games=20)


def test_the_row_says_what_numpy_says(result: SelfPlay):
    [row], scores = result.rows(), result.scores
    assert row["games"] == 20
    assert row["mean"] == pytest.approx(float(np.mean(scores)))
    assert row["sd"] == pytest.approx(float(np.std(scores, ddof=1)))
    assert row["standard error"] == pytest.approx(float(np.std(scores, ddof=1)) / 20**0.5)
    assert row["median"] == np.median(scores)


def test_what_nobody_knows_is_left_empty(result: SelfPlay):
    games = result.episodes
    one = SelfPlay.of("random", games[:1])
    assert {json.loads(one.to_json())[name] for name in ("sd", "standard_error")} == {None}
    assert repr(one) == f"<random with its own copies: {one.mean:.2f} ± nan in 1 games>"


def test_the_games_at_zero_are_a_bar_of_their_own(result: SelfPlay):
    words = [node.text for node in ElementTree.fromstring(selfplay_figure(result)).iter("text")]
    assert f"{result.zero:.0%} at zero".replace("%", "\u00a0%") in words


def test_every_agent_has_a_row_its_scores_and_a_picture(result: SelfPlay, tmp_path: Path):
    files = write_selfplay([result, dataclasses.replace(result, agent="pool:x")], tmp_path / "table.csv")
    assert [file.name for file in files] == ["table.csv", "table-scores.csv", "table-random.svg", "table-pool-x.svg"]
    assert [row["agent"] for row in csv.DictReader(files[0].read_text().splitlines())] == ["random", "pool:x"]
    scores = list(csv.DictReader(files[1].read_text().splitlines()))
    assert sum(int(row["games"]) for row in scores) == 40


def test_the_command_writes_them(tmp_path: Path):
    out = tmp_path / "one.csv"
    done = CliRunner().invoke(
        app, ["selfplay", "random", "--game", "hanabi-very-small", "--games", "4", "--out", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert {file.name for file in tmp_path.iterdir()} == {"one.csv", "one-scores.csv", "one.svg"}
