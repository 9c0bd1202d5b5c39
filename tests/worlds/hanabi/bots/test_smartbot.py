"""SmartBot plays the original's games and never loses its head among strangers."""

from __future__ import annotations

import pytest

import coplay
from coplay.player import AgentError
from coplay.worlds.hanabi.bots.smartbot import SmartBot
from coplay.worlds.hanabi.settings import Hanabi
from tests.worlds.hanabi.bots.listening import check_bot


@pytest.mark.parametrize(
    ("players", "risk", "games"), [(2, None, "smartbot"), (5, None, "smartbot"), (3, True, "smartbot_risk")]
)
def test_repeats_the_recorded_games_and_stays_legal_among_strangers(players, risk, games):
    game = Hanabi(players=players)
    check_bot(game, SmartBot(game, risk), games, beliefs=lambda table: table.sets)


def test_risk_is_taken_with_two_players_only_unless_asked():
    assert [SmartBot(Hanabi(players=players)).risk for players in (2, 3, 4, 5)] == [True, False, False, False]
    assert SmartBot(Hanabi(players=5), risk=True).risk


def test_another_game_is_refused_with_a_remedy():
    with pytest.raises(AgentError, match="smartbot plays hanabi, not overcooked; make the game with"):
        SmartBot(coplay.make("overcooked"))  # pyright: ignore[reportArgumentType]
