"""Lives lost, game by game."""

from __future__ import annotations

import numpy as np

from coplay.games.hanabi import Hanabi
from coplay.measure.strikes import strikes
from coplay.play.play import play
from coplay.play.replay import states_of


def test_strikes_are_the_lives_missing_after_the_last_recorded_move():
    game = Hanabi(players=2)
    episodes = play(game, ["iggi", "random"], games=6)
    last = [states_of(episodes, index)[-1] for index in range(6)]
    expected = [game.life_tokens - int(state.lives) for state in last]
    assert len(set(expected)) > 1 or expected[0] > 0
    np.testing.assert_array_equal(strikes(episodes), expected)
