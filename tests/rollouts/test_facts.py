"""What a finished game tells besides its score, game by game."""

from __future__ import annotations

import numpy as np
import pytest

from coplay.rollouts.play import play
from coplay.rollouts.replay import states_of
from coplay.worlds.hanabi import Hanabi


@pytest.mark.parametrize("engine", ["scan", "lockstep"])
def test_strikes_are_the_lives_missing_after_the_last_recorded_move(engine):
    game = Hanabi(players=2)
    episodes = play(game, ["iggi", "random"], games=6, engine=engine)
    last = [states_of(episodes, index)[-1] for index in range(6)]
    expected = [game.life_tokens - int(state.lives) for state in last]
    assert len(set(expected)) > 1 or expected[0] > 0
    np.testing.assert_array_equal(episodes.facts["strikes"], expected)
    np.testing.assert_array_equal(episodes[2:4].facts["strikes"], expected[2:4])


def test_a_world_without_facts_tells_none():
    assert play("overcooked?horizon=3", "random", games=2).facts == {}
