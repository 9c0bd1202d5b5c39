"""The convention player at the real table."""

from __future__ import annotations

import numpy as np
import pytest

import coplay
from coplay.player import AgentError
from coplay.worlds.hanabi.bots.hgroup import HGroup
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.overcooked.settings import Overcooked
from tests.worlds.hanabi.bots.hgroup.referee import play, shuffled


def test_the_engine_and_the_bare_tables_play_the_same_games():
    game = Hanabi(players=2)
    decks = np.array([[divmod(identity, 5) for identity in shuffled(seed)] for seed in range(2)], np.int8)
    result = coplay.play(game, [HGroup(game)] * 2, decks=decks)
    assert not result.forfeits
    for seed in range(2):
        expected = play(shuffled(seed), 2)
        assert [int(action) for action in result.actions[seed] if action >= 0] == expected.actions
        assert result.scores[seed] == expected.score


def test_it_sits_with_strangers():
    game = Hanabi(players=2)
    result = coplay.play(game, [HGroup(game), coplay.agent("random", game)], games=4, seed=0)
    assert not result.forfeits


def test_it_knows_only_the_standard_game():
    with pytest.raises(AgentError, match="hgroup knows only the standard game"):
        HGroup(Hanabi(players=2, colors=4))
    with pytest.raises(AgentError, match="hgroup plays hanabi, not overcooked"):
        HGroup(Overcooked())  # pyright: ignore[reportArgumentType]


def test_it_knows_levels_1_to_5():
    with pytest.raises(AgentError, match="levels 1 to 5, not 11"):
        HGroup(Hanabi(players=2), level=11)
