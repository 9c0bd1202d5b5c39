"""Episodes survive the disk, replay exactly, and bad files are explained."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import coplay
from coplay.report.replay import link, page, terminal_frames
from coplay.rollouts.episode_file import EpisodeFileError, load, save
from coplay.rollouts.replay import ReplayError, states_of

GAME = coplay.make("hanabi", players=3, start_player="random")


@pytest.fixture(scope="module")
def episodes() -> Any:
    return coplay.play(GAME, "random", games=4, seed=8)


def test_episodes_come_back_as_they_were_saved(episodes: Any, tmp_path: Path):
    save(episodes, tmp_path / "games" / "a.safetensors")
    again = load(tmp_path / "games" / "a.safetensors")
    assert again.game == episodes.game
    assert again.names == episodes.names
    for name in ("actions", "lengths", "scores", "decks"):
        np.testing.assert_array_equal(getattr(again, name), getattr(episodes, name))
    np.testing.assert_array_equal(again.starts.seat, episodes.starts.seat)


def test_forfeits_are_kept(tmp_path: Path):
    class Broken(coplay.Agent):
        name = "broken"

        def act(self, view: Any) -> int:
            raise RuntimeError("out of ideas")

    result = coplay.play(GAME, [Broken(), "random", "random"], games=2, seed=0)
    save(result, tmp_path / "a.safetensors")
    assert load(tmp_path / "a.safetensors").forfeits == result.forfeits


def test_a_replay_ends_in_the_recorded_score(episodes: Any):
    for index in range(len(episodes)):
        states = states_of(episodes, index)
        assert len(states) == episodes.lengths[index] + 1
        assert GAME.score(states[-1]) == episodes.scores[index]


def test_a_forged_score_is_found(episodes: Any):
    forged = dataclasses.replace(episodes, scores=episodes.scores + 1)
    with pytest.raises(ReplayError, match="is recorded"):
        states_of(forged, 0)


def test_a_missing_game_is_explained(episodes: Any):
    with pytest.raises(ReplayError, match="games 0 to 3"):
        states_of(episodes, 4)


def test_a_page_holds_every_move_and_needs_no_network(episodes: Any):
    text = page(episodes, 1)
    data = re.search(r'<script type="application/json" id="episode">(.*?)</script>', text, re.S)
    assert data is not None
    assert len(json.loads(data[1])["frames"]) == episodes.lengths[1] + 1
    assert "src=" not in text
    assert "<link" not in text
    assert "The game is over" in text
    assert text.count(link(episodes, 1) or "no link") == 1


def test_copies_are_told_apart_in_the_terminal(episodes: Any):
    from rich.console import Console

    console = Console(width=120)
    with console.capture() as capture:
        console.print(list(terminal_frames(episodes, 1))[1])
    assert re.search(r"random [123] (played|discarded|hinted)", capture.get())


@pytest.mark.parametrize("content", [b"", b"not a file of games", b"\x08\x00\x00\x00\x00\x00\x00\x00{}      "])
def test_a_bad_file_is_explained(tmp_path: Path, content: bytes):
    path = tmp_path / "bad.safetensors"
    path.write_bytes(content)
    with pytest.raises(EpisodeFileError, match="not a file of episodes"):
        load(path)


def test_a_missing_file_is_explained(tmp_path: Path):
    with pytest.raises(EpisodeFileError, match="there is no file"):
        load(tmp_path / "nowhere.safetensors")


def test_a_file_of_another_version_is_refused(episodes: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    save(episodes, tmp_path / "a.safetensors")
    monkeypatch.setattr("coplay.worlds.hanabi.settings.Hanabi.version", 99)
    with pytest.raises(EpisodeFileError, match=r"version 1, but .* plays version 99"):
        load(tmp_path / "a.safetensors")
