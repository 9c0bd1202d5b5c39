"""Diversity: the volume behaviours span, and the members who span most of it."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from coplay.measure import MeasureError, diversity, dpp

SMALL = nps.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 5)), elements=st.integers(-5, 5))


@given(SMALL)
def test_diversity_is_the_determinant_of_all_dot_products(features):
    exact = max(round(np.linalg.det(features @ features.T)), 0)  # whole features have a whole determinant
    assert diversity.population_diversity(features) == pytest.approx(exact, rel=1e-6, abs=1e-6)


def test_copies_and_mixtures_add_nothing():
    assert diversity.population_diversity(np.eye(3)) == 1
    assert diversity.population_diversity([[1, 2], [1, 2]]) == 0
    assert diversity.population_diversity([[1, 0, 0], [0, 1, 0], [2, 3, 0]]) == 0
    assert diversity.population_diversity(np.random.default_rng(0).normal(size=(5, 4))) == 0
    assert diversity.population_diversity([[0, 0]]) == 0
    assert diversity.population_diversity([[3, 4]]) == pytest.approx(25)


def test_huge_counts_do_not_overflow_into_nonsense():
    assert diversity.population_diversity(np.eye(40) * 1e3) == pytest.approx(1e240)
    assert diversity.population_diversity(np.eye(200) * 1e3) == math.inf


@settings(max_examples=25)
@given(nps.arrays(np.float64, (6, 4), elements=st.integers(-9, 9)), st.integers(1, 4), st.data())
def test_small_populations_are_searched_completely(features, k, data):
    chosen = diversity.select(features, k)
    assert len(set(chosen.tolist())) == k
    assert sorted(chosen) == chosen.tolist()
    other = data.draw(st.sampled_from(list(itertools.combinations(range(6), k))))
    best = diversity.population_diversity(features[chosen])
    assert best >= diversity.population_diversity(features[list(other)]) * (1 - 1e-6)


def test_the_search_in_large_populations_finds_what_complete_search_finds(monkeypatch):
    rng = np.random.default_rng(0)
    populations = [rng.normal(size=(11, 6)) for _ in range(10)]
    exact = [diversity.select(features, 4).tolist() for features in populations]
    monkeypatch.setattr(diversity, "EXHAUSTIVE", 0)
    assert [diversity.select(features, 4).tolist() for features in populations] == exact


def test_a_large_population_gives_the_same_choice_for_a_seed():
    features = np.random.default_rng(0).poisson(20, (60, 20)).astype(float)
    first = diversity.select(features, 8, seed=3)
    assert first.tolist() == diversity.select(features, 8, seed=3).tolist()
    random = [features[np.random.default_rng(s).choice(60, 8, replace=False)] for s in range(50)]
    assert diversity.population_diversity(features[first]) > max(map(diversity.population_diversity, random))


def test_copies_are_taken_last_even_where_all_diversity_is_zero():
    features = [[1, 0], [1, 0], [0, 1], [1, 0]]
    assert 2 in diversity.select(features, 3)
    assert len(diversity.select(np.zeros((30, 3)), 10)) == 10
    assert diversity.select(np.zeros((4, 3)), 4).tolist() == [0, 1, 2, 3]


def test_a_k_dpp_draws_subsets_in_proportion_to_their_diversity():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(5, 4))
    drawn = Counter(tuple(sorted(dpp.sample(features @ features.T, 2, rng).tolist())) for _ in range(3000))
    pairs = list(itertools.combinations(range(5), 2))
    weight = np.array([diversity.population_diversity(features[list(pair)]) for pair in pairs])
    assert [drawn[pair] / 3000 for pair in pairs] == pytest.approx(weight / weight.sum(), abs=0.03)


def test_the_curve_falls_to_zero_where_members_repeat_each_other():
    features = np.random.default_rng(0).normal(size=(7, 4))
    rows = diversity.curve(features)
    assert [row.size for row in rows] == [1, 2, 3, 4, 5, 6, 7]
    assert [row.diversity > 0 for row in rows] == [True] * 4 + [False] * 3
    assert diversity.curve(features, sizes=[2]) == [rows[1]]


def test_partners_are_better_chosen_by_their_best_responses():
    responses = np.diag([1.0, 2, 3, 4])
    partners = np.diag([4.0, 3, 2, 1])
    row = diversity.compare(partners, responses, sizes=[2])[0]
    assert (row.by_partners, row.by_best_responses) == pytest.approx((4, 144))
    assert diversity.br_div(responses, [0, 3]) == pytest.approx(16)
    assert diversity.br_div(responses) == pytest.approx(576)


def test_scaling_gives_every_event_the_same_weight():
    assert diversity.scaled([[100, 1, 0], [50, 2, 0]]).tolist() == [[1, 0.5, 0], [0.5, 1, 0]]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: diversity.population_diversity([]), "2 dimensions"),
        (lambda: diversity.population_diversity([1, 2]), "2 dimensions"),
        (lambda: diversity.population_diversity(np.zeros((0, 3))), "features is empty"),
        (lambda: diversity.population_diversity([[math.nan, 1]]), "nan at position 0, 0"),
        (lambda: diversity.select([[1, 2]], 2), "k is 2, but there are 1"),
        (lambda: diversity.select([[1, 2]], 0), "at least 1; got 0"),
        (lambda: diversity.compare([[1]], [[1], [2]]), "one best response each"),
        (lambda: diversity.br_div([[1]], [1]), "among 0 to 0"),
    ],
)
def test_bad_questions_are_refused_in_words(call, words):
    with pytest.raises(MeasureError, match=words):
        call()
