"""The five numbers of a set of games are the paper's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from coplay.data import DataError, read, statistics
from coplay.rollouts.episode import Episodes
from coplay.worlds.hanabi.recordings import to_episodes
from tests.worlds.hanabi.recordings.conftest import games, recorded

__all__ = ["games", "recorded"]


@pytest.fixture(scope="module")
def episodes(games) -> Episodes:
    return to_episodes(games)


def test_the_numbers_of_three_games(games, episodes: Episodes):
    three = statistics(episodes[[0, 1, 2]])
    scores = games.scores[:3].tolist()
    mean = sum(scores) / 3
    assert (three.games, three.players) == (3, 3)
    assert three.scores.min == min(scores)
    assert three.scores.max == max(scores)
    assert three.scores.median == sorted(scores)[1]
    assert three.scores.mean == pytest.approx(mean)
    assert three.scores.std == pytest.approx((sum((score - mean) ** 2 for score in scores) / 3) ** 0.5)
    assert three.lengths.max == games.lengths[:3].max()
    assert str(three).splitlines()[1].split()[:3] == ["score", str(min(scores)), str(max(scores))]


def test_no_games_have_no_numbers(episodes: Episodes):
    with pytest.raises(DataError, match="no games to describe"):
        statistics(episodes[:0])


def test_the_published_games_give_table_1(recorded: Callable[[str], Path]):
    found = statistics(read(recorded("ah2ac2_3p_val.safetensors"), check=False))
    assert (found.games, found.players) == (221, 3)
    assert found.scores == pytest.approx((19, 25, 24.190, 25, 1.1996), abs=5e-4)
    assert found.lengths == pytest.approx((46, 62, 56.163, 56, 2.8635), abs=5e-4)
