"""The columns that evaluations and tournaments share."""

from __future__ import annotations

from pathlib import Path

from coplay.games.registry import make
from coplay.measure.endings import endings
from coplay.measure.strikes import strikes
from coplay.play.play import play


def test_every_game_is_told_with_its_score_length_and_strikes():
    episodes = play(make("hanabi-very-small"), ["iggi", "random"], games=5)
    found = list(endings(episodes))
    lives = strikes(episodes)
    assert lives is not None
    assert [ending[:4] for ending in found] == [
        (game, float(episodes.scores[game]), int(episodes.lengths[game]), int(lives[game])) for game in range(5)
    ]
    assert {ending.forfeit for ending in found} == {""}


def test_a_forfeit_without_a_word_is_told_too(tmp_path: Path):
    file = tmp_path / "mute.py"
    file.write_text("import coplay\nclass Mute(coplay.Agent):\n    def act(self, view):\n        raise ValueError\n")
    episodes = play(make("hanabi-very-small"), [f"file:{file}:Mute", "random"], games=2)
    assert all(ending.forfeit.startswith("turn 0, seat 0: ValueError") for ending in endings(episodes))
