"""The AH2AC2 format is read and written to the byte, and a file that breaks its rules is refused by name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coplay.data import DataError
from coplay.worlds.hanabi.recordings import load_games, save_games

NOOP = 30


def test_a_file_comes_back_to_the_byte(games, smartbot: Path, tmp_path: Path):
    save_games(tmp_path / "deep" / "again.safetensors", games)
    assert (tmp_path / "deep" / "again.safetensors").read_bytes() == smartbot.read_bytes()
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["again.safetensors"]


def test_games_are_plain_arrays_of_the_moves(games):
    assert len(games) == 20
    assert games.players == 3
    assert games.decks.shape == (20, 50, 2)
    assert games.actions.shape == (20, games.lengths.max())
    played = np.arange(games.actions.shape[1]) < games.lengths[:, None]
    assert (games.actions[~played] == -1).all()
    assert ((games.actions[played] >= 0) & (games.actions[played] < NOOP)).all()
    assert repr(games) == "<20 games of 3 players>"


@pytest.mark.parametrize("which", [3, slice(2, 9), [5, 1], np.arange(20) > 17])
def test_a_choice_of_games_is_games(games, which):
    chosen = games[which]
    rows = np.atleast_1d(np.arange(20)[which])
    assert chosen.game_ids.tolist() == games.game_ids[rows].tolist()
    assert chosen.actions.shape == (len(rows), games.actions.shape[1])


def test_extra_tensors_are_kept(altered: Callable[..., Path], tmp_path: Path):
    path = altered(lambda tensors: tensors.update(human_seat=np.arange(20, dtype=np.int32)))
    games = load_games(path)
    assert games[4:6].extra["human_seat"].tolist() == [4, 5]
    save_games(tmp_path / "again.safetensors", games)
    assert (tmp_path / "again.safetensors").read_bytes() == path.read_bytes()


def put(name: str, place: tuple[int, ...], value: int) -> Callable[[dict[str, np.ndarray]], object]:
    return lambda tensors: tensors[name].__setitem__(place, value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda t: t.pop("decks"), "tensor 'decks' is missing"),
        (lambda t: t.update(scores=t["scores"].astype(np.float32)), "scores is float32; .* whole numbers"),
        (lambda t: t.update(game_ids=t["game_ids"] + np.int64(2**40)), "game_ids holds numbers that do not fit"),
        (lambda t: t.update(game_ids=t["game_ids"][:7]), r"game_ids has shape \(7,\); for 20 games it is \(20,\)"),
        (lambda t: t.update(decks=t["decks"][:, :49]), r"decks has shape \(20, 49, 2\)"),
        (lambda t: t.update(actions=t["actions"][..., 0]), r"actions has shape \(20, 89\)"),
        (lambda t: t.update(scores=t["scores"][:0]), "at least one game"),
        (lambda t: t.update(num_players=np.asarray(2)), "actions has shape .* 20 games of 2 players"),
        (lambda t: t.update(num_players=np.asarray(9)), "num_players is 9; Hanabi is played by 2 to 5"),
        (lambda t: t.update(num_players=np.asarray([3])), r"num_players has shape \(1,\)"),
        (lambda t: t.update(level=np.ones(3)), r"extra tensor 'level' has shape \(3,\)"),
        (put("num_actions", (4,), 90), r"game 4 \(row 4\): num_actions is 90"),
        (put("num_actions", (4,), 0), r"game 4 \(row 4\): num_actions is 0"),
        (put("actions", (2, 80, 2), 4), r"game 2 \(row 2\), turn 81: seat 2 has action 4, .* hidden behind the last"),
        (put("actions", (2, 4, 1), 30), r"turn 5: seat 1 has action 30, but the seat to move holds the no-op"),
        (put("actions", (2, 4, 1), 31), r"turn 5: seat 1 has action 31, but actions of 3 players are 0 to 29"),
        (put("actions", (2, 4, 1), -1), r"turn 5: seat 1 has action -1, but actions of 3 players are 0 to 29"),
        (put("actions", (2, 4, 0), 7), r"turn 5: seat 0 has action 7, but a seat that is not to move"),
    ],
)
def test_a_file_that_breaks_the_format_is_refused(change, words: str, altered: Callable[..., Path]):
    path = altered(change)
    with pytest.raises(DataError, match=words) as error:
        load_games(path, check=False)
    assert str(error.value).startswith(str(path))


def test_a_cut_off_file_is_refused(smartbot: Path, tmp_path: Path):
    for size in (0, 5, 200, 20_000):
        (tmp_path / "cut.safetensors").write_bytes(smartbot.read_bytes()[:size])
        with pytest.raises(DataError, match="not a whole safetensors file"):
            load_games(tmp_path / "cut.safetensors")


def test_a_missing_file_says_where_games_come_from(tmp_path: Path):
    with pytest.raises(DataError, match="coplay data fetch ah2ac2"):
        load_games(tmp_path / "none.safetensors")


@pytest.mark.parametrize(
    "name",
    [
        "ah2ac2_3p_val.safetensors",
        "eger_2p_human_ai.safetensors",
        "hgroup_2p.safetensors",
        "hgroup_3p.safetensors",
    ],
)
def test_recorded_files_come_back_to_the_byte(name: str, recorded: Callable[[str], Path], tmp_path: Path):
    path = recorded(name)
    save_games(tmp_path / name, load_games(path, check=False))
    assert (tmp_path / name).read_bytes() == path.read_bytes()
