"""Hanabi's suite: the positions are what they say, and sensible players pass."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import coplay
from coplay.measure import MeasureError
from coplay.measure.robustness import Robustness, robustness
from coplay.worlds.hanabi.suite import suite as hanabi

ROLLOUTS = 6


@cache
def result(agent: str, players: int) -> Robustness:
    return robustness(coplay.make("hanabi", players=players), agent, ROLLOUTS)


def scores(agent: str, players: int) -> dict[str, float]:
    return {row["test"]: row["score"] for row in result(agent, players).rows()}


def test_there_is_a_suite_for_two_and_three():
    assert len(hanabi.suite(coplay.make("hanabi", players=2))) >= 8
    assert len(hanabi.suite(coplay.make("hanabi", players=3))) >= 8


@pytest.mark.parametrize("players", [2, 3])
def test_smartbot_does_what_is_obvious_and_random_does_not(players: int):
    assert all(score == 1 for name, score in scores("smartbot", players).items() if name not in MEMORY)
    assert np.mean(list(scores("random", players).values())) < 0.4


MEMORY = {"staller", "quiet partner", "random partner"}


def test_the_agent_takes_over_in_the_position_described():
    starts = {o.test.name: o for o in result("random", 2).outcomes}
    episodes = starts["keep the five"].episodes
    from coplay.rollouts.replay import states_of

    for row in range(ROLLOUTS):
        state = states_of(episodes, row)[8]
        assert int(state.info) == 0
        assert int(state.seat) == 0
        view = episodes.game.view(state, 0)
        ranks = np.asarray(view.possible[0]).any(1)  # [slot, rank]
        assert ranks.astype(int).tolist() == [[0, 0, 0, 0, 1]] + [[0, 0, 0, 1, 0]] * 4


def test_colours_and_decks_differ_from_game_to_game():
    episodes = result("random", 2).outcomes[0].episodes
    assert len(np.unique(episodes.decks[:, 0, 0])) > 1
    assert len(np.unique(episodes.decks[:, 10:, 1], axis=0)) == ROLLOUTS


def test_other_games_are_told():
    with pytest.raises(MeasureError, match=r"players=5: .* 2 or 3 players"):
        hanabi.suite(coplay.make("hanabi", players=5))
    with pytest.raises(MeasureError, match=r"full game"):
        hanabi.suite(coplay.make("hanabi-small", players=2))
