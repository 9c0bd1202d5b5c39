"""Seatings: the agent in every seat, once or in all mixtures."""

from __future__ import annotations

import pytest

from coplay.measure import MeasureError
from coplay.measure.study.seatings import configurations, seatings


@pytest.mark.parametrize(("players", "each", "every"), [(2, 2, 2), (3, 3, 6), (4, 4, 14), (5, 5, 30)])
def test_counts_are_those_of_the_table(players: int, each: int, every: int):
    assert len(seatings(players)) == each
    assert len(set(seatings(players, "all"))) == every


def test_the_lone_agent_comes_first():
    assert seatings(3, "all") == ["APP", "PAP", "PPA", "AAP", "APA", "PAA"]


def test_selfplay_is_the_first_team():
    first, *others = configurations("me", ("you", "them"), 2)
    assert first.is_selfplay
    assert first.seating == "AA"
    assert [team.file for team in others][:2] == ["games/01-AP.safetensors", "games/01-PA.safetensors"]


def test_a_lone_player_has_no_partner():
    with pytest.raises(MeasureError, match="no seat for a partner"):
        seatings(1)
