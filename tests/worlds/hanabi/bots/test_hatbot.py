"""HatBot plays the recorded games and reads hints as numbers."""

from __future__ import annotations

import pytest

from coplay.player import AgentError
from coplay.worlds.hanabi.bots.hatbot import HatBot
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.overcooked.settings import Overcooked
from tests.worlds.hanabi.bots.listening import check_bot


def test_repeats_the_recorded_games_and_stays_legal_among_strangers():
    game = Hanabi(players=5)
    watched = check_bot(game, HatBot(game), "hatbot")
    assert (watched.memories.number >= -1).all()
    assert (watched.memories.number < 8).all()


def test_four_players_cannot_say_a_sum_modulo_eight():
    with pytest.raises(AgentError, match="hatbot plays with 5 players, not 4"):
        HatBot(Hanabi(players=4))


def test_knows_only_the_standard_game():
    with pytest.raises(AgentError, match="hand_size is 4 with 5 players, not 3"):
        HatBot(Hanabi(players=5, hand_size=3))
    with pytest.raises(AgentError, match="plays hanabi, not overcooked"):
        HatBot(Overcooked())  # pyright: ignore[reportArgumentType]
