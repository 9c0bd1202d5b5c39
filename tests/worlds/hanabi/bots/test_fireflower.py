"""FireFlower plays the original's games and never stumbles among strangers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import coplay
from tests.conftest import GOLDEN

pytest.importorskip("numba", reason="FireFlower needs the extra coplay[bots]")

GAMES = 6  # as many as are recorded: what steps them is compiled once
EXAMPLE = f"file:{Path(__file__).parents[4] / 'examples' / 'my_agent.py'}:MyAgent"


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_repeats_the_recorded_games(players: int):
    # Six games each, chosen to contain finesses, discards that pass a play on, and long ends after a loss.
    data = np.load(GOLDEN / "bots" / "fireflower.npz")
    recorded = data[f"actions_{players}p"]
    result = coplay.play(
        coplay.make("hanabi", players=players), ["fireflower"] * players, decks=data[f"decks_{players}p"]
    )
    assert not result.forfeits
    played = np.full_like(recorded, -1)
    played[:, : result.actions.shape[1]] = result.actions[:, : recorded.shape[1]]
    np.testing.assert_array_equal(played, recorded)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@pytest.mark.parametrize("strangers", [["random"], ["piers", "smartbot", "random"], [EXAMPLE]])
def test_strangers_do_not_make_it_stumble(players: int, strangers: list[str]):
    game = coplay.make("hanabi", players=players)
    team = ["fireflower", *(strangers * players)][:players]
    result = coplay.play(game, team, games=GAMES, seed=1)
    assert not result.forfeits, str(result.forfeits[0])


def test_a_partner_who_repeats_himself_forever_does_not_overflow_its_memory():
    """Each repeated hint may lengthen the sequences it believes in, the same card several times over."""

    class Parrot(coplay.Agent):
        name = "parrot"

        def act(self, view) -> int:
            legal = np.flatnonzero(view.legal)
            return int(legal[-1])  # a hint while there is a token, else the newest play

    game = coplay.make("hanabi", players=2)
    result = coplay.play(game, ["fireflower", Parrot()], games=GAMES, seed=2)
    assert not result.forfeits, str(result.forfeits[0])


def test_only_the_standard_game_is_played():
    with pytest.raises(coplay.AgentError, match="fireflower"):
        coplay.agent("fireflower", coplay.make("hanabi-small"))
