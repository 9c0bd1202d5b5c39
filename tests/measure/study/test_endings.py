"""The columns that evaluations and tournaments share."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from coplay.games import make
from coplay.measure.study.endings import as_written, endings
from coplay.rollouts.play import play


def test_every_game_is_told_with_its_score_length_and_facts():
    episodes = play(make("hanabi-very-small"), ["iggi", "random"], games=5)
    found = list(endings(episodes))
    lives = episodes.facts["strikes"]
    assert [ending[:4] for ending in found] == [
        (game, float(episodes.scores[game]), int(episodes.lengths[game]), {"strikes": int(lives[game])})
        for game in range(5)
    ]
    assert {ending.forfeit for ending in found} == {""}


def test_a_forfeit_without_a_word_is_told_too(tmp_path: Path):
    file = tmp_path / "mute.py"
    file.write_text("import coplay\nclass Mute(coplay.Agent):\n    def act(self, view):\n        raise ValueError\n")
    episodes = play(make("hanabi-very-small"), [f"file:{file}:Mute", "random"], games=2)
    assert all(ending.forfeit.startswith("turn 0, seat 0: ValueError") for ending in endings(episodes))


def test_fractions_are_written_as_people_write_them():
    assert as_written(np.float32(0.9)) == 0.9
    assert as_written(np.float32(25)) == 25
