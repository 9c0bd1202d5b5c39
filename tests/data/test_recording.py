"""Recording games: any game and agents, on any number of processes, on after a kill."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from coplay.data import DataError, parts, read, verify
from coplay.data.recording import record
from coplay.player import AgentError

OWN = f"file:{Path(__file__).parents[1] / 'own' / 'words.py'}:Words"


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "SIZE", 8)


def test_own_games_are_recorded_as_episodes(tmp_path: Path):
    recorded = record(OWN, ["random"], 20, tmp_path / "words.safetensors")
    again = read(tmp_path / "words.safetensors")
    assert len(again) == 20
    assert not verify(again)
    np.testing.assert_array_equal(again.actions, recorded.actions)
    np.testing.assert_array_equal(again.extra["game_ids"], np.arange(20))
    assert not (tmp_path / "words.safetensors.parts").exists()


def test_a_game_depends_on_its_number_alone(tmp_path: Path):
    whole = record("hanabi-very-small", ["iggi", "random"], 20, tmp_path / "whole.safetensors", seed=3)
    late = record("hanabi-very-small", ["iggi", "random"], 6, tmp_path / "late.safetensors", seed=3, first=11)
    turns = late.actions.shape[1]
    np.testing.assert_array_equal(whole.actions[11:17, :turns], late.actions)
    np.testing.assert_array_equal(whole.extra["kind"][11:17], late.extra["kind"])
    assert len(np.unique(whole.extra["kind"], axis=0)) > 1  # seats are drawn for every game


def test_a_recording_goes_on_where_it_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from coplay.data import recording

    whole = record(OWN, ["random"], 20, tmp_path / "whole.safetensors")
    play = recording.play_numbers
    played: list[int] = []

    def until_killed(game, names, seed, numbers, move_seconds):
        if numbers[0] == 16 and not played.count(-1):
            played.append(-1)
            raise KeyboardInterrupt
        played.append(numbers[0])
        return play(game, names, seed, numbers, move_seconds)

    monkeypatch.setattr(recording, "play_numbers", until_killed)
    with pytest.raises(KeyboardInterrupt):
        record(OWN, ["random"], 20, tmp_path / "part.safetensors")
    with pytest.raises(DataError, match=r"parts of another recording"):
        record(OWN, ["random"], 20, tmp_path / "part.safetensors", seed=1)
    on = record(OWN, ["random"], 20, tmp_path / "part.safetensors")
    assert played == [0, 8, -1, 16]
    np.testing.assert_array_equal(on.actions, whole.actions)


def test_mistakes_show_before_anything_is_written(tmp_path: Path):
    with pytest.raises(AgentError, match="nobody"):
        record(OWN, ["nobody"], 20, tmp_path / "a.safetensors")
    (tmp_path / "there.safetensors").touch()
    with pytest.raises(DataError, match="is there already"):
        record(OWN, ["random"], 20, tmp_path / "there.safetensors")
    assert [path.name for path in tmp_path.iterdir()] == ["there.safetensors"]


def test_games_that_an_agent_broke_off_are_left_out(tmp_path: Path):
    agent = tmp_path / "odd.py"
    agent.write_text(
        "import coplay\n"
        "class Odd(coplay.Agent):\n"
        "    def act(self, view):\n"
        "        if self.seed % 2: raise ValueError('an odd game')\n"
        "        return next(action for action, may in enumerate(view.legal) if may)\n"
    )
    recorded = record(OWN, [f"file:{agent}:Odd"], 40, tmp_path / "games.safetensors")
    assert 0 < len(recorded) < 40
    assert len(set(recorded.extra["game_ids"].tolist())) == len(recorded)
