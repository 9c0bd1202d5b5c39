"""Comparisons: games on one deal with one partner in one seat, in pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from coplay.measure import MeasureError
from coplay.measure.evaluated.compare import ALL, SELF_PLAY, compare
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun, GameRow


def made_up(path: Path, agent: str, scores: dict[str, list[float]], **changed: Any) -> EvaluationFolder:
    """A finished two-player run with these scores with every partner, in both seats."""
    games = len(next(iter(scores.values())))
    partners = [name for name in scores if name != agent]
    run: dict[str, Any] = {
        "coplay": "1",
        "game": "hanabi",
        "game_version": 1,
        "players": 2,
        "game_settings": {},
        "files": {},
    }
    run |= {"max_score": 25, "agent": agent, "partners": partners, "seatings": "each", "games": games, "seed": 0}
    folder = EvaluationFolder(path)
    folder.begin(EvaluationRun(format=EvaluationFolder.format, **run | changed))
    folder.keep([])
    for name, values in scores.items():
        for way in ["AA"] if name == agent else ["AP", "PA"]:
            folder.append([GameRow(agent, name, way, 0, i, score, 9, {}, "") for i, score in enumerate(values)])
    return folder


def test_differences_are_paired(tmp_path: Path):
    first = made_up(tmp_path / "a", "a", {"a": [20, 10, 0], "x": [5, 1, 9], "only": [1, 1, 1]})
    second = made_up(tmp_path / "b", "b", {"b": [21, 11, 1], "x": [7, 3, 11]})
    result = compare([first, second])
    assert result.names == ("a", "b")
    assert [line.partner for line in result.lines] == [ALL, SELF_PLAY, "x"]
    assert result.left_out == ("only",)
    total, own, x = result.lines
    assert own.differences[0][:3] == (1, 1, 1)  # the luck of the deal cancels
    assert x.differences[0][:3] == (2, 2, 2)
    assert (x.means, x.pairs) == ((5, 7), 6)
    assert total.differences[0].value == 2


def test_the_longer_run_is_cut_to_the_shared_deals(tmp_path: Path):
    first = made_up(tmp_path / "a", "a", {"a": [20, 10], "x": [5, 1]})
    second = made_up(tmp_path / "b", "b", {"b": [20, 10, 25], "x": [5, 1, 25]})
    assert compare([first, second]).lines[0].differences[0].value == 0


def test_runs_of_one_agent_go_by_their_folders(tmp_path: Path):
    runs = [made_up(tmp_path / name, "a", {"a": [1, 2], "x": [5, 1]}) for name in "pq"]
    assert compare(runs).names == (str(tmp_path / "p"), str(tmp_path / "q"))


@pytest.mark.parametrize(("name", "value"), [("seed", 5), ("game", "hanabi-small"), ("coplay", "2")])
def test_other_deals_are_refused(tmp_path: Path, name: str, value: object):
    first = made_up(tmp_path / "a", "a", {"a": [1, 2], "x": [5, 1]})
    second = made_up(tmp_path / "b", "b", {"b": [1, 2], "x": [5, 1]})
    settings = json.loads((second / "run.json").read_text())
    (second / "run.json").write_text(json.dumps(settings | {name: value}))
    with pytest.raises(MeasureError, match=f"{name} .*same deals"):
        compare([first, second])


def test_strangers_cannot_be_compared(tmp_path: Path):
    first = made_up(tmp_path / "a", "a", {"a": [1, 2], "x": [5, 1]})
    second = made_up(tmp_path / "b", "b", {"b": [1, 2], "y": [5, 1]})
    with pytest.raises(MeasureError, match="share no partner"):
        compare([first, second])
    with pytest.raises(MeasureError, match="two run folders"):
        compare([first])


def test_unfinished_and_missing_runs_are_named(tmp_path: Path):
    first = made_up(tmp_path / "a", "a", {"a": [1, 2], "x": [5, 1]})
    second = made_up(tmp_path / "b", "b", {"b": [1, 2], "x": [5, 1]}, partners=["x", "y"])
    with pytest.raises(MeasureError, match="2 of 5 teams are missing"):
        compare([first, second])
    with pytest.raises(MeasureError, match="holds no evaluation"):
        compare([first, EvaluationFolder(tmp_path / "nowhere")])
