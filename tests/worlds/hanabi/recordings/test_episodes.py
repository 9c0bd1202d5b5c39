"""Games played here become recorded games and come back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coplay
from coplay.data import DataError
from coplay.rollouts.episode_file import load, save
from coplay.rollouts.replay import states_of
from coplay.worlds.hanabi.recordings import Games, from_episodes, save_games, verify
from coplay.worlds.hanabi.recordings.episodes import save_episodes


@pytest.fixture(scope="module")
def episodes() -> Any:
    return coplay.play(coplay.make("hanabi", players=3, start_player="random"), "random", games=6, seed=8)


def test_whoever_started_becomes_seat_0(episodes: Any, tmp_path: Path):
    assert set(episodes.starts.seat.tolist()) != {0}
    games = from_episodes(episodes)
    assert verify(games) == []
    assert games.scores.tolist() == episodes.scores.tolist()
    save(episodes, tmp_path / "a.safetensors")
    from_file = from_episodes(tmp_path / "a.safetensors")
    for name in ("game_ids", "scores", "decks", "actions", "lengths"):
        np.testing.assert_array_equal(getattr(from_file, name), getattr(games, name))


def test_recorded_games_can_be_watched_and_come_back(games: Games, smartbot: Path, tmp_path: Path):
    save_episodes(tmp_path / "a.safetensors", games, name="smartbot")
    watched = load(tmp_path / "a.safetensors")
    assert watched.names == ("smartbot",) * 3
    assert len(states_of(watched, 4)) == games.lengths[4] + 1
    save_games(tmp_path / "b.safetensors", from_episodes(tmp_path / "a.safetensors"))
    assert (tmp_path / "b.safetensors").read_bytes() == smartbot.read_bytes()


def test_ids_and_extra_arrays_survive(games: Games, tmp_path: Path):
    games = games[3:5]
    games.extra["level"] = np.asarray([7, 8])
    save_episodes(tmp_path / "a.safetensors", games)
    back = from_episodes(tmp_path / "a.safetensors")
    assert back.game_ids.tolist() == [3, 4]
    assert back.extra["level"].tolist() == [7, 8]


def test_forfeited_games_are_left_out():
    class Broken(coplay.Agent):
        name = "broken"

        def act(self, view: Any) -> int:
            raise RuntimeError("out of ideas")

    lost = coplay.play(coplay.make("hanabi", players=2), [Broken(), "random"], games=2, seed=0)
    with pytest.raises(DataError, match="every one of these games was forfeited"):
        from_episodes(lost)


def test_other_rules_do_not_fit():
    small = coplay.play(coplay.make("hanabi-small"), "random", games=1, seed=0)
    with pytest.raises(DataError, match="holds Hanabi games of the standard rules"):
        from_episodes(small)


def test_a_file_of_something_else_is_refused(smartbot: Path, tmp_path: Path):
    for path in (smartbot, tmp_path / "none.safetensors"):
        with pytest.raises(DataError, match="not a file of episodes"):
            from_episodes(path)
