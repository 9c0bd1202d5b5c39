"""Algorithm 1: balanced drop-in games in which everyone meets everyone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coplay.measure import MeasureError
from coplay.measure.dropin.games import assignments
from coplay.measure.dropin.schedule import _next_agent
from coplay.measure.teamwork import schedule


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 4), st.integers(0, 5), st.integers(0, 100))
def test_everyone_plays_with_and_against_everyone_and_equally_often(per_team, extra, seed):
    agents = 2 * per_team + extra
    games = schedule(agents, per_team, seed)
    played = np.zeros(agents, int)
    mates, foes = set(), set()
    for a, b in games:
        assert len(a) == len(b) == per_team
        assert not set(a) & set(b)
        played[[*a, *b]] += 1
        mates |= {frozenset(p) for team in (a, b) for p in itertools.combinations(team, 2)}
        foes |= {frozenset(p) for p in itertools.product(a, b)}
    assert played.max() - played.min() <= 1
    pairs = agents * (agents - 1) // 2
    assert len(foes) == pairs
    assert len(mates) == (pairs if per_team > 1 else 0)


def test_ten_agents_need_the_five_games_of_the_paper():
    needed = [len(schedule(10, 5, seed)) for seed in range(20)]
    assert min(needed) == 5
    assert np.median(needed) == 5
    assert max(needed) <= 7


def test_the_smallest_challenges():
    assert len(schedule(2, 1, 0)) == 1
    assert len(schedule(4, 2, 0)) == 3
    assert len(schedule(3, 1, 0)) == 3


def test_a_seed_repeats_and_another_differs():
    assert schedule(9, 2, 4) == schedule(9, 2, 4)
    assert schedule(9, 2, 4) != schedule(9, 2, 5)


def test_more_games_begin_with_the_same_ones_and_do_not_repeat():
    games = schedule(10, 5, 0, games=63)
    complete = schedule(10, 5, 0)
    assert games[: len(complete)] == complete
    assert len({tuple(sorted(game)) for game in games}) == 63


def test_when_all_assignments_are_used_they_come_again():
    assert assignments(4, 2) == 3
    games = schedule(4, 2, 0, games=7)
    assert [len({tuple(sorted(game)) for game in games[i : i + 3]}) for i in (0, 3)] == [3, 3]


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 3), st.integers(0, 3), st.integers(0, 100), st.data())
def test_games_are_different_as_long_as_there_are_different_ones(per_team, extra, seed, data):
    agents = 2 * per_team + extra
    every = assignments(agents, per_team)
    asked = data.draw(st.integers(1, 2 * every))
    games = [tuple(sorted(game)) for game in schedule(agents, per_team, seed, games=asked)]
    assert len(games) == asked
    for first in range(0, asked, every):
        here = games[first : first + every]
        assert len(set(here)) == len(here)


@pytest.mark.parametrize(("agents", "per_team", "seed"), [(10, 5, 0), (7, 3, 1), (7, 3, 4), (8, 2, 0)])
def test_all_games_are_all_of_them(agents, per_team, seed):
    every = assignments(agents, per_team)
    assert len({tuple(sorted(game)) for game in schedule(agents, per_team, seed, games=every)}) == every


def test_the_count_of_assignments_is_the_papers():
    assert assignments(10, 5) == 126
    assert assignments(15, 5) == 378_378


def next_agent(played=(0, 0, 0, 0), against=(), together=()):
    """Who joins agent 0 against agent 1, given how often pairs met before."""
    faced, joined = np.zeros((4, 4), int), np.zeros((4, 4), int)
    for counts, pairs in ((faced, against), (joined, together)):
        for i, j in pairs:
            counts[i, j] += 1
            counts[j, i] += 1
    chosen = {_next_agent([0], [1], np.array(played), faced, joined, np.random.default_rng(s)) for s in range(20)}
    return chosen.pop() if len(chosen) == 1 else chosen


def test_preferences_come_in_the_papers_order():
    assert next_agent() == {2, 3}, "all equal: by chance"
    assert next_agent(played=(0, 0, 1, 0)) == 3, "fewer games"
    assert next_agent(played=(0, 0, 1, 0), against=[(3, 1)]) == 3, "fewer games before fewer known opponents"
    assert next_agent(against=[(2, 1)]) == 3, "fewer known opponents"
    assert next_agent(against=[(2, 1)], together=[(3, 0)]) == 3, "known opponents before known teammates"
    assert next_agent(together=[(2, 0)]) == 3, "fewer known teammates"
    both = {"against": [(2, 1), (3, 1)], "together": [(2, 0), (3, 0)]}
    assert next_agent(**{**both, "together": [*both["together"], (2, 0)]}) == 3, "lower maximum of either"
    often = {"against": [(2, 1)] * 2 + [(3, 1)], "together": [(2, 0), *[(3, 0)] * 2]}
    assert next_agent(**often) == 3, "equal maximum of either: lower maximum against"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((3, 2, 0), "need 4 agents; there are 3"),
        ((1, 1, 0), "need 2 agents"),
        ((4, 0, 0), "per_team"),
        ((4.5, 2, 0), "n_agents"),
        ((4, 2, -1), "seed"),
        ((4, 2, 0, 0), "games must be"),
    ],
)
def test_bad_questions_are_refused_in_words(arguments, words):
    with pytest.raises(MeasureError, match=words):
        schedule(*arguments)
