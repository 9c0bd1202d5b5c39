"""The runner that every measure shares: it goes on, plays timeouts again, and says where a result comes from."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import coplay
from coplay.game import Game
from coplay.measure import MeasureError
from coplay.measure.dropin.play import play_tournament
from coplay.measure.evaluated.folder import EvaluationFolder
from coplay.measure.evaluated.play import play_evaluation, played
from coplay.measure.study.cast import cast
from coplay.measure.study.endings import ran_out_of_time
from coplay.measure.study.folder import place_for
from coplay.measure.study.runner import tell
from coplay.provenance import provenance
from coplay.rollouts import chairs
from coplay.rollouts.play import play
from tests.own.levers import First, Follow, Levers


class Named(First):
    name = "somebody"


@pytest.fixture(scope="module")
def game() -> Game:
    return coplay.make("file:tests/own/levers.py:Levers")


def quiet(line: str) -> None:
    del line


def evaluate(*given: Any, **named: Any) -> EvaluationFolder:
    return play_evaluation(*given, **named).folder


def test_objects_play_under_their_own_names_or_given_ones(game: Game, tmp_path: Path):
    met = [Follow(), Named(), "random"]
    _, run, teams = play_evaluation(game, First(), tmp_path / "run", met, games=2, name="mine")
    assert (run.agent, run.partners) == ("mine", ("Follow", "somebody", "random"))
    assert {row.agent for row in teams["Follow", "AP"]} == {"mine"}
    assert [row.score for row in teams["Follow", "AP"]] == [3, 3]
    agents = {"a": First(), "b": First(), "c": Follow(), "d": "random"}
    cup = play_tournament(game, agents, tmp_path / "cup", 1, 2)
    assert cup.run.agents == ("a", "b", "c", "d")
    assert cup.run.specs == {"d": "random"}


def test_two_of_one_name_are_refused(game: Game, tmp_path: Path):
    with pytest.raises(MeasureError, match="two agents are called First"):
        cast(game, [First(), First()])
    with pytest.raises(MeasureError, match="name the agents by their specs"):
        evaluate(game, First(), tmp_path / "run", ["random"], games=2, on=2)
    assert not (tmp_path / "run").exists()


def test_a_game_that_ran_out_of_time_is_played_again(game: Game, tmp_path: Path):
    folder = evaluate(game, First(), tmp_path / "run", ["random"], games=2, say=quiet)
    before = (folder / "games.csv").read_text()
    lines = before.splitlines()
    late = "turn 0, seat 0: no answer within 60 seconds; the limit is `move_seconds` of coplay.play"
    lines[3] = lines[3].rsplit(",", 3)[0] + f',0,0,"{late}"'
    (folder / "games.csv").write_text("\n".join([*lines, ""]))
    assert played(folder).teams["random", "AP"][0].forfeit == late  # until then it counts
    said: list[str] = []
    evaluate(game, First(), folder.path, ["random"], games=2, say=said.append)
    assert said[0] == "2 of 3 teams were played before"
    assert sorted((folder / "games.csv").read_text().splitlines()) == sorted(before.splitlines())


def test_time_is_told_from_other_forfeits(tmp_path: Path):
    assert ran_out_of_time("turn 1, seat 0: not asked: it took too long in 3 games already")
    assert not ran_out_of_time("turn 1, seat 0: ValueError: no")
    assert not ran_out_of_time("")


def test_every_command_can_limit_the_time_of_a_move(game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(chairs, "SET_UP", 0.0)

    class Slow(First):
        def act(self, view):
            while True:
                pass

    folder = evaluate(game, Slow(), tmp_path / "run", ["random"], games=1, say=quiet, move_seconds=0.01)
    assert all(ran_out_of_time(row.forfeit) for row in folder.rows())
    assert "no answer within 0." in folder.rows()[0].forfeit


def test_run_json_says_where_a_result_comes_from(game: Game, tmp_path: Path):
    folder = evaluate(game, "random", tmp_path / "run", [First()], games=1, say=quiet)
    made = json.loads((folder / "run.json").read_text())["made"]
    assert made["coplay"] == coplay.__version__
    assert made["date"].endswith("+00:00")
    assert {"command", "commit", "jax", "device", "python"} <= made.keys()


@pytest.mark.parametrize("program", ["/usr/bin/coplay", "/lib/python3/site-packages/coplay/__main__.py"])
def test_the_command_is_what_people_type(program: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("sys.argv", [program, "evaluate", "file:a b.py:C"])
    assert provenance().command == "coplay evaluate 'file:a b.py:C'"


def test_folders_written_before_go_on(game: Game, tmp_path: Path):
    hanabi = coplay.make("hanabi-very-small")
    folder = evaluate(hanabi, "random", tmp_path / "run", ["simplebot"], games=2, say=quiet)
    run = json.loads((folder / "run.json").read_text())
    older = {name: value for name, value in run.items() if name not in ("game_spec", "made", "move_seconds")}
    (folder / "run.json").write_text(json.dumps(older))
    said: list[str] = []
    evaluate(hanabi, "random", folder.path, ["simplebot"], games=2, say=said.append)
    assert said == ["3 of 3 teams were played before"]
    assert list(played(folder.path).teams) == [("random", "AA"), ("simplebot", "AP"), ("simplebot", "PA")]


def test_tables_with_an_empty_column_of_lives_go_on(game: Game, tmp_path: Path):
    """Games without lives had that column once."""
    folder = evaluate(game, First(), tmp_path / "run", ["random"], games=2)
    head, *lines = (folder / "games.csv").read_text().splitlines()
    older = [line.rsplit(",", 1)[0] + ",," for line in lines]
    (folder / "games.csv").write_text("\n".join([head.replace("forfeit", "strikes,forfeit"), *older, ""]))
    assert played(folder).teams["random", "AP"][0].facts == {}
    said: list[str] = []
    evaluate(game, First(), folder.path, ["random"], games=2, say=said.append)
    assert said == ["3 of 3 teams were played before"]
    assert (folder / "games.csv").read_text().splitlines() == [head, *lines]


def test_a_strange_table_is_refused(game: Game, tmp_path: Path):
    folder = evaluate(game, First(), tmp_path / "run", ["random"], games=2)
    (folder / "games.csv").write_text("score,partner\n1,random\n")
    with pytest.raises(MeasureError, match="does not begin with the columns agent, partner"):
        played(folder)


def test_the_rows_are_what_plain_play_gives(game: Game, tmp_path: Path):
    folder = evaluate(game, "random", tmp_path / "run", [First()], games=5, seed=7, say=quiet)
    first: Any = First()
    plain = play(Levers(), [first, "random"], games=5, seed=7, engine="lockstep")
    assert [row.score for row in played(folder).teams["First", "PA"]] == plain.scores.tolist()


def test_a_folder_of_a_file_that_has_changed_names_that_file_alone(game: Game, tmp_path: Path):
    mine = tmp_path / "mine.py"
    mine.write_text("class Mine:\n    def act(self, view):\n        return 0\n")
    spec = f"file:{mine}:Mine"
    evaluate(game, spec, tmp_path / "run", ["random"], games=2)
    mine.write_text("class Mine:\n    def act(self, view):\n        return 1\n")
    with pytest.raises(MeasureError, match=f'with files of {spec} "sha256:[0-9a-f]+", but') as refused:
        evaluate(game, spec, tmp_path / "run", ["random"], games=2)
    assert "levers.py" not in str(refused.value)


class Impatient(First):
    """Somebody presses Ctrl-C while it thinks about its first move."""

    pressed = False

    def act(self, view):
        if not Impatient.pressed:
            Impatient.pressed = True
            raise KeyboardInterrupt
        return super().act(view)


@pytest.mark.parametrize(("named", "words"), [(True, "kept in .*run, and the same"), (False, "not kept; with --out")])
def test_whoever_stops_it_is_told_how_to_go_on(
    game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, named, words
):
    monkeypatch.setattr(Impatient, "pressed", False)
    where = tmp_path / "run" if named else place_for(None)
    with pytest.raises(KeyboardInterrupt):
        evaluate(game, First(), where, [Impatient()], games=2, say=tell)
    assert re.search(rf"Stopped after 1 of 3 teams\. They are {words}", capsys.readouterr().err)
    folder = evaluate(game, First(), where, [Impatient()], games=2, say=tell)
    assert "1 of 3 teams were played before" in capsys.readouterr().err
    assert folder.path == where
