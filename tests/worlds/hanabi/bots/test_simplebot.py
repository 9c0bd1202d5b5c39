"""SimpleBot plays the original's games and never loses its head among strangers."""

from __future__ import annotations

import pytest

from coplay.worlds.hanabi.bots.simplebot import SimpleBot
from coplay.worlds.hanabi.settings import Hanabi
from tests.worlds.hanabi.bots.listening import check_bot


@pytest.mark.parametrize("players", [2, 5])
def test_repeats_the_recorded_games_and_stays_legal_among_strangers(players):
    game = Hanabi(players=players)
    check_bot(game, SimpleBot(game), "simplebot", beliefs=lambda memory: memory.sets)
