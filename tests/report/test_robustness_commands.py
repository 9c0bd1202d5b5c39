"""`coplay robustness`: tables on the screen, and a folder with everything behind them."""

from __future__ import annotations

import csv

import pytest

from coplay.measure import MeasureError
from coplay.play.episode_file import load
from coplay.report import robustness_commands


def run(out, game: str = "hanabi", **options) -> None:
    settings = {"layout": None, "players": None, "rollouts": 2, "seed": 0} | options
    robustness_commands.robustness("random", game=game, out=str(out), **settings)


@pytest.fixture(autouse=True)
def _no_cache(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(robustness_commands, "start", lambda: None)


def test_the_folder_holds_tables_and_failed_games(tmp_path, capsys):
    run(tmp_path / "run", players=[2])
    shown = capsys.readouterr().out
    assert "known trash" in next(tmp_path.rglob("tests.svg")).read_text()
    assert "hanabi 2p" in shown
    assert "known trash" in shown
    with (tmp_path / "run" / "games.csv").open() as file:
        rows = list(csv.DictReader(file))
    lost = [row for row in rows if row["test"] == "quiet partner" and row["passed"] == "0"]
    failed = tmp_path / "run" / "failed" / "hanabi-2p-quiet-partner"
    assert len(load(failed.with_suffix(".safetensors"))) == len(lost) > 0
    assert "<svg" in failed.with_suffix(".html").read_text()


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("chess", {}, "--game chess: there are unit tests for overcooked and hanabi"),
        ("hanabi", {"layout": ["bottleneck"]}, "--layout bottleneck is a kitchen"),
        ("overcooked", {"players": [2]}, "--players 2 is for Hanabi"),
    ],
)
def test_mistakes_are_told(tmp_path, game: str, options: dict, words: str):
    with pytest.raises(MeasureError, match=words):
        run(tmp_path / "run", game, **options)


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(MeasureError, match="not an empty folder"):
        run(tmp_path, players=[2])
