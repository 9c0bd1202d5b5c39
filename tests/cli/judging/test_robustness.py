"""`coplay robustness`: tables on the screen, and a folder with everything behind them."""

from __future__ import annotations

import csv

import pytest

from coplay.cli.judging import robustness as robustness_commands
from coplay.cli.options import game_of_agent
from coplay.game import GameError
from coplay.measure import MeasureError
from coplay.rollouts.episode_file import load


def run(out, game: str = "hanabi", **options) -> None:
    settings = {"layout": None, "players": None, "rollouts": 2, "seed": 0, "name": None, "move_seconds": 60.0} | options
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
        ("chess", {}, "unknown game 'chess'"),
        ("file:tests/own/levers.py:Levers", {}, "levers has no unit tests"),
        ("hanabi", {"layout": ["bottleneck"]}, "unknown setting 'layout'"),
        ("hanabi", {"players": [5]}, "the unit tests in Hanabi are for 2 or 3 players"),
    ],
)
def test_mistakes_are_told(tmp_path, game: str, options: dict, words: str):
    with pytest.raises((MeasureError, GameError), match=words):
        run(tmp_path / "run", game, **options)


def test_nothing_is_overwritten(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(MeasureError, match="not a folder of coplay robustness"):
        run(tmp_path, players=[2])


@pytest.mark.parametrize(
    ("agent", "game"),
    [
        ("theory-of-mind?params=fitted", "overcooked"),
        ("smartbot", "hanabi"),
        ("carroll:nowhere", "overcooked"),
        ("pool:hanabi-3p-ippo-0", "hanabi?players=3"),
        ("random", "hanabi"),
    ],
)
def test_an_agents_name_tells_its_game(agent: str, game: str):
    assert game_of_agent(agent) == game


def test_a_game_without_settings_stands_for_all_that_the_suite_is_made_for():
    games = robustness_commands._games("hanabi", None, None)
    assert [game.players for game in games] == [2, 3]
    assert [game.players for game in robustness_commands._games("hanabi?players=3", None, None)] == [3]
    kitchens = robustness_commands._games("overcooked", ["bottleneck", "large_room"], None)
    assert [game.kitchen.name for game in kitchens] == ["bottleneck", "large_room"]  # pyright: ignore[reportAttributeAccessIssue]
