"""What every measure gives: objects in, a frozen record out that is short to look at, a table and JSON; runs go on."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import coplay
from coplay.cli import app
from coplay.measure.crossplay import read_crossplay
from coplay.measure.predict import predict_all
from coplay.measure.study.result import Result
from coplay.measure.team_play import read_team_play, team_play
from tests.own.levers import First, Follow, Levers

GAME: Any = Levers()


class Last(coplay.Agent):
    def act(self, view: Any) -> int:
        return int(view.legal.nonzero()[0][-1])


ANY: Any = Last()  # a plain object, wherever an agent is asked for
HANABI = "hanabi-very-small"
ASKED: dict[str, Callable[[], Any]] = {
    "evaluate": lambda: coplay.evaluate(GAME, First(), [Follow(), "random"], games=2),
    "crossplay": lambda: coplay.crossplay(GAME, [First(), Follow()], games=2),
    "teams": lambda: team_play(GAME, {"a": First(), "b": "random"}, games=2),
    "tournament": lambda: coplay.tournament(GAME, {"a": First(), "b": First(), "c": Follow(), "d": "random"}, 2, 1),
    "adhoc": lambda: coplay.adhoc(GAME, First(), [Follow()], trials=4, sets=2),
    "ah2ac2": lambda: coplay.ah2ac2(GAME, First(), [Follow()], games=4),
    "selfplay": lambda: coplay.selfplay(GAME, First(), games=3),
    "predict": lambda: coplay.predict(coplay.play(HANABI, "random", 2, engine="lockstep"), ANY),
    "predict all": lambda: predict_all(coplay.play(HANABI, "random", 2, engine="lockstep"), [ANY, "random"]),
    "behaviour": lambda: coplay.behaviour("hanabi?players=2", [ANY, "random"], games=2, distance=False),
    "robustness": lambda: coplay.robustness("hanabi?players=2", ANY, rollouts=1),
}


@pytest.mark.parametrize("name", ASKED)
def test_every_result_is_frozen_short_and_a_table(name: str):
    found = ASKED[name]()
    assert isinstance(found, Result)
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(found, dataclasses.fields(found)[0].name, None)  # pyright: ignore[reportArgumentType]
    assert repr(found) == f"<{found.title}>"
    assert len(repr(found)) < 200
    rows = found.rows()
    assert len({tuple(row) for row in rows}) == 1
    assert found._repr_html_().count("<tr>") == 1 + len(rows)
    assert found.to_latex().count(r" \\") == found.to_markdown().count(" |\n") - 1 == 1 + len(rows)
    assert json.loads(found.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))


def cut(folder: Path) -> str:
    """Leaves half of the rows; returns the whole."""
    whole = (folder / "games.csv").read_text()
    lines = whole.splitlines(keepends=True)
    (folder / "games.csv").write_text("".join(lines[: 1 + len(lines) // 2]))
    return whole


def test_cross_play_goes_on_and_has_a_page(tmp_path: Path):
    out = tmp_path / "run"
    words = ["crossplay", "random", "simplebot", "--game", HANABI, "--games", "3", "--out", str(out)]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0, first.output
    whole = cut(out)
    again = CliRunner().invoke(app, words)
    assert again.stdout == first.stdout
    assert "2 of 4 teams were played before" in again.output
    assert sorted((out / "games.csv").read_text().splitlines()) == sorted(whole.splitlines())
    assert "Who plays well with whom?" in (out / "report.html").read_text()
    assert {"pairs.csv", "pairs.svg", "summary.json"} <= {file.name for file in out.iterdir()}
    assert read_crossplay(out).scores.shape == (2, 2, 3)
    table = CliRunner().invoke(app, ["report", str(out), "--markdown"])
    assert table.stdout.splitlines()[0].startswith("| first | others | games | mean |")


def test_whole_teams_go_on_and_have_a_page(tmp_path: Path):
    out = tmp_path / "run"
    words = ["crossplay", "random", "simplebot", "--game", HANABI, "--players", "3", "--teams", "two"]
    found = CliRunner().invoke(app, [*words, "--games", "2", "--out", str(out)])
    assert found.exit_code == 0, found.output
    assert "random + random + simplebot" in (out / "report.html").read_text()
    assert len(read_team_play(out).teams) == 4
    assert json.loads(CliRunner().invoke(app, ["report", str(out), "--json"]).stdout)["run"]["teams"] == "teams of 2"


def test_prediction_goes_on_and_has_a_page(tmp_path: Path):
    file, out = tmp_path / "games.safetensors", tmp_path / "run"
    CliRunner().invoke(app, ["selfplay", "simplebot", "--game", HANABI, "--games", "3", "--save", str(file)])
    words = ["predict", "simplebot", "random", "--data", str(file), "--out", str(out)]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0, first.output
    cut(out)
    again = CliRunner().invoke(app, words)
    assert again.stdout == first.stdout
    assert "1 of 2 teams were played before" in again.output
    assert "How surely does an agent foresee" in (out / "report.html").read_text()
    other = CliRunner().invoke(app, [*words, "--games", "2"])
    assert "holds another action prediction" in str(other.exception)


def test_behaviour_goes_on_and_has_a_page(tmp_path: Path):
    out = tmp_path / "run"
    words = ["behaviour", "random", "simplebot", "--games", "2", "--no-distance", "--out", str(out)]
    first = CliRunner().invoke(app, words)
    assert first.exit_code == 0, first.output
    cut(out)
    again = CliRunner().invoke(app, words)
    assert again.stdout == first.stdout
    assert "1 of 2 teams were played before" in again.output
    assert "How do they play?" in (out / "report.html").read_text()


def test_two_of_one_name_meet_in_cross_play():
    found = coplay.crossplay(GAME, [First(), First(), Follow()], games=1)
    assert found.names == ("First", "First 2", "Follow")


def test_an_agent_that_breaks_while_it_foresees_is_named():
    class Broken(coplay.Agent):
        def act(self, view: Any) -> int:
            raise ValueError("no idea")

    games = coplay.play(HANABI, "random", 1, engine="lockstep")
    with pytest.raises(coplay.AgentError, match=r"Broken in game 0, turn 0, seat 0: ValueError: no idea \(.*line"):
        coplay.predict(games, Broken())
