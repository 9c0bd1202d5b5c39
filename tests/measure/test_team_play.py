"""Cross-play of whole teams: every multiset, every seating, the same deals."""

from __future__ import annotations

import math

import numpy as np
import pytest

import coplay
from coplay.game import Game
from coplay.measure.team_play import TeamPlay, multisets, seatings_of, team_play

AGENTS = ["random", "simplebot"]


@pytest.fixture(scope="module")
def game() -> Game:
    return coplay.make("hanabi-very-small", players=3)


@pytest.fixture(scope="module")
def played(game: Game) -> TeamPlay:
    return team_play(game, AGENTS, games=6, seed=2)


def test_there_are_as_many_teams_as_combinatorics_says():
    for agents, players in ((3, 2), (3, 3), (4, 5)):
        teams = multisets(agents, players, players)
        assert len(teams) == len(set(teams)) == math.comb(agents + players - 1, players)
        assert sum(len(seatings_of(team)) for team in teams) == agents**players
    assert {len(set(team)) for team in multisets(4, 3, 2)} == {1, 2}


def test_every_seating_plays_every_deal(played: TeamPlay, game: Game):
    mixed = next(team for team in played.teams if team.members == (0, 1, 1))
    assert mixed.seatings == ((0, 1, 1), (1, 0, 1), (1, 1, 0))
    assert mixed.scores.shape == (3, 6)
    plain = coplay.play(game, ["simplebot", "random", "simplebot"], games=6, seed=2, engine="lockstep")
    np.testing.assert_array_equal(mixed.scores[1], plain.scores)


def test_who_sits_with_whom(played: TeamPlay):
    means = {team.members: team.mean for team in played.teams}
    assert played.together[1, 1] == means[1, 1, 1]
    assert played.together[0, 1] == played.together[1, 0] == pytest.approx((means[0, 0, 1] + means[0, 1, 1]) / 2)


def test_a_team_reports_mean_median_and_zeros(played: TeamPlay):
    team = played.teams[-1]
    assert team.mean == pytest.approx(team.scores.mean())
    assert team.median == np.median(team.scores)
    assert team.zero == (team.scores == 0).mean()
    assert team.standard_error == pytest.approx(team.scores.mean(0).std(ddof=1) / math.sqrt(6))
