"""Files from hanab.live become recorded games and come back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coplay.data import DataError
from coplay.worlds.hanabi.recordings import Games, load_hanablive
from coplay.worlds.hanabi.recordings.hanablive_games import save_hanablive


@pytest.fixture(scope="module")
def sources(games: Games, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = tmp_path_factory.mktemp("hanablive") / "games.json"
    save_hanablive(path, games[:3])
    return json.loads(path.read_text())


def written(folder: Path, content: Any, name: str = "games.json") -> Path:
    (folder / name).write_text(json.dumps(content))
    return folder / name


def test_games_travel_to_hanablive_and_back(games: Games, sources: list[dict[str, Any]], tmp_path: Path):
    sources = [{**source, "id": 1000 + row} for row, source in enumerate(sources)]
    back = load_hanablive(written(tmp_path, sources))
    assert back.game_ids.tolist() == [1000, 1001, 1002]
    for name in ("scores", "decks", "lengths"):
        np.testing.assert_array_equal(getattr(back, name), getattr(games[:3], name))
    np.testing.assert_array_equal(back.actions, games.actions[:3, : back.lengths.max()])


def test_one_game_or_a_folder_of_them(games: Games, sources: list[dict[str, Any]], tmp_path: Path):
    assert len(load_hanablive(written(tmp_path, sources[0], "a.json"))) == 1
    written(tmp_path, sources[1], "b.json")
    assert load_hanablive(tmp_path).scores.tolist() == games.scores[:2].tolist()


def test_a_game_that_stops_early_counts_as_far_as_it_went(sources: list[dict[str, Any]], tmp_path: Path):
    short = {**sources[0], "actions": sources[0]["actions"][:20]}
    games = load_hanablive(written(tmp_path, short))
    assert games.lengths.tolist() == [20]
    assert 0 < games.scores[0] < 20


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ([], "there are no games in it"),
        ([7], "games.json, game 0: hanab.live game: there is no list 'players'"),
        ("move", r"game 1: hanab.live game .*turn 1: type 9 is unknown"),
        ("nothing", "game 1 has no moves"),
        ("players", "game 1 has 2 players, but game 0 has 3"),
        ("suits", "game 1 has .*; only the usual rules fit"),
    ],
)
def test_what_cannot_be_read_is_named(content: Any, words: str, sources: list[dict[str, Any]], tmp_path: Path):
    second = dict(sources[1])
    if content == "move":
        second["actions"] = [{"type": 9, "target": 0}]
    elif content == "nothing":
        second["actions"] = []
    elif content == "players":
        second |= {"players": ["Ann", "Bob"], "actions": [{"type": 3, "target": 1, "value": _rank(second)}]}
    elif content == "suits":
        deck = [card for card in second["deck"] if card["suitIndex"] < 4]
        second |= {"options": {"variant": "4 Suits"}, "deck": deck, "actions": [{"type": 0, "target": 0}]}
    with pytest.raises(DataError, match=words):
        load_hanablive(written(tmp_path, content if isinstance(content, list) else [sources[0], second]))


def _rank(source: dict[str, Any]) -> int:
    return source["deck"][5]["rank"]


def test_what_is_no_json_is_named(tmp_path: Path):
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(DataError, match="this is not JSON"):
        load_hanablive(tmp_path)
    with pytest.raises(DataError, match="no such file or folder"):
        load_hanablive(tmp_path / "none.json")
    (tmp_path / "a.json").unlink()
    with pytest.raises(DataError, match=r"no \.json files"):
        load_hanablive(tmp_path)
