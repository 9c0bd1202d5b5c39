"""What a match is expected to end with: the mean and the bounds are those of all matches."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from coplay.measure.dropin.expected import Expected, expect
from coplay.measure.dropin.games import Match, Team

AGENTS = 7


def all_matches(per_team: int) -> list[tuple[Team, Team]]:
    """Each seen from both sides."""
    teams = list(itertools.combinations(range(AGENTS), per_team))
    return [(a, b) for a in teams for b in teams if not set(a) & set(b)]


@pytest.fixture(params=[1, 2, 3])
def expected(request: pytest.FixtureRequest) -> Expected:
    rng = np.random.default_rng(request.param)
    pairs = np.triu(rng.normal(size=(AGENTS, AGENTS)), 1)
    faced = np.triu(rng.normal(size=(AGENTS, AGENTS)), 1)
    return Expected(request.param, rng.normal(size=AGENTS), pairs + pairs.T, faced - faced.T)


def test_the_average_is_that_of_all_matches(expected: Expected):
    for agent, average in enumerate(expected.averages()):
        mine = [expected.difference(a, b) for a, b in all_matches(expected.per_team) if agent in a]
        assert np.mean(mine) == pytest.approx(average)


def test_no_match_is_beyond_the_bounds(expected: Expected):
    lows, highs = expected.bounds()
    for a, b in all_matches(expected.per_team):
        assert all(lows[agent] - 1e-9 <= expected.difference(a, b) <= highs[agent] + 1e-9 for agent in a)


def test_bounds_of_pairs_are_reached_but_for_who_is_in_both_teams():
    """Teams of two that do not meet: the best mate, and the worst two opponents among everybody."""
    strength = np.arange(float(AGENTS))
    nothing = np.zeros((AGENTS, AGENTS))
    lows, highs = Expected(2, strength, nothing, nothing).bounds()
    assert highs[6] == 6 + 5 - (0 + 1)
    assert lows[0] == 0 + 1 - (5 + 6)


@pytest.mark.parametrize("facing", [False, True])
def test_it_learns_what_matches_are_made_of(facing: bool):
    """Strengths and pairs are found again, but for the pull towards zero; opponents only where teams meet."""
    rng = np.random.default_rng(0)
    pairs, faced = (np.triu(rng.normal(size=(AGENTS, AGENTS)), 1) for _ in range(2))
    true = Expected(2, rng.normal(size=AGENTS), pairs + pairs.T, (faced - faced.T) * facing)
    played = [Match(a, b, true.difference(a, b)) for a, b in all_matches(2)]
    found = expect(played, AGENTS, 2, facing)
    wrong = [found.difference(a, b) - difference for a, b, difference in played]
    assert np.std(wrong) < 0.1 * np.std([one.difference for one in played])
    assert facing == bool(found.opponents.any())
