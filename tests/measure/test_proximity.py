"""Best-response proximity: a share of what each partner allows."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import trim_mean

from coplay.measure import MeasureError, MeasureWarning, proximity
from coplay.measure.stats import bootstrap, iqm


def test_the_value_is_the_inter_quartile_mean_of_the_shares():
    estimate = proximity.br_prox([5, 8, 9, 10], [10, 10, 10, 10])
    assert estimate.value == pytest.approx(0.85)
    assert estimate.n == 4
    assert estimate.low <= 0.85 <= estimate.high


def test_every_partner_is_held_against_its_own_ceiling():
    assert proximity.br_prox([5, 10, 20], [10, 20, 40]) == pytest.approx((0.5, 0.5, 0.5, 3))


def test_games_are_averaged_before_the_share_is_taken():
    games = [[0, 10], [5, 15], [20, 0]]
    assert proximity.br_prox(games, [10, 10, 20]).value == pytest.approx(trim_mean([0.5, 1, 0.5], 0.25))


def test_seats_are_shares_of_their_own_drawn_with_their_partner():
    returns = [[[5, 5], [10, 10]], [[4, 4], [8, 8]]]  # partners, seats, games
    estimate = proximity.br_prox(returns, [[10, 10], [10, 10]])
    assert estimate.value == pytest.approx((0.5 + 0.8) / 2)
    assert estimate.n == 4


@settings(max_examples=30)
@given(st.lists(st.tuples(st.floats(0, 10), st.floats(10, 20)), min_size=1, max_size=12), st.floats(0.1, 10))
def test_the_unit_of_the_score_does_not_matter(pairs, unit):
    returns, ceilings = np.array(pairs).T
    plain, scaled = proximity.br_prox(returns, ceilings), proximity.br_prox(returns * unit, ceilings * unit)
    assert plain == pytest.approx(scaled, nan_ok=True)
    assert 0 <= plain.value <= 1


def test_a_beaten_ceiling_is_told_and_counts_as_reached_unless_asked_otherwise():
    with pytest.warns(MeasureWarning, match="1 of 2 ceilings are beaten, most of all number 1: 12 against 10"):
        assert proximity.br_prox([10, 12], [10, 10]).value == 1
    with pytest.warns(MeasureWarning, match="no ceiling"):
        assert proximity.br_prox([10, 12], [10, 10], clip=False).value == pytest.approx(1.1)


def test_a_ceiling_of_zero_counts_as_reached_and_is_told():
    with pytest.warns(MeasureWarning, match="1 of 2 ceilings are 0"):
        assert proximity.br_prox([0, 5], [0, 10]).value == pytest.approx(0.75)


def test_reaching_a_ceiling_is_not_beating_it():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert proximity.br_prox([0.1 + 0.2, 10], [0.3, 10]).value == pytest.approx(1)


def test_one_partner_gives_a_value_without_an_interval():
    estimate = proximity.br_prox([5], [10])
    assert estimate.value == 0.5
    assert math.isnan(estimate.low)


def test_a_row_per_partner_says_how_near_and_how_sure():
    rows = proximity.per_partner([[4, 6], [11, 13]], [10, 10], names=["slow", "fast"])
    assert [(row.partner, row.mean_return, row.ceiling, row.beaten) for row in rows] == [
        ("slow", 5, 10, False),
        ("fast", 12, 10, True),
    ]
    assert rows[0].proximity == pytest.approx((0.5, 0.4, 0.6, 2))
    assert rows[1].proximity.value == 1
    assert rows[1].proximity.high == 1
    assert math.isnan(proximity.per_partner([5], [10])[0].proximity.low)


def test_luck_beats_no_ceiling():
    [row] = proximity.per_partner([[9, 15]], [10])
    assert (row.mean_return, row.beaten) == (12, False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        proximity.profile([[9, 15]], [10])


def test_partners_are_split_at_the_median_of_their_self_play():
    picture = proximity.profile([1, 2, 3, 4], [10, 10, 10, 10], self_play=[20, 5, 10, 15])
    assert picture.moderate is not None
    assert picture.expert is not None
    assert picture.moderate.value == pytest.approx(0.25)  # partners 1 and 2
    assert picture.expert.value == pytest.approx(0.25)  # partners 0 and 3
    assert picture.quartiles == pytest.approx((0.175, 0.325))
    assert picture.overall == proximity.br_prox([1, 2, 3, 4], [10, 10, 10, 10])


def test_equally_good_partners_are_all_moderate():
    picture = proximity.profile([1, 2], [10, 10], self_play=[7, 7])
    assert picture.moderate is not None
    assert picture.moderate.n == 2
    assert picture.expert is None


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: proximity.br_prox([], []), "ceilings is empty"),
        (lambda: proximity.br_prox([1, math.nan], [1, 1]), "returns holds nan"),
        (lambda: proximity.br_prox([1], [math.inf]), "ceilings holds inf"),
        (lambda: proximity.br_prox([1, 2], [1]), "one more axis at the end"),
        (lambda: proximity.br_prox([[1, 2, 3]], [1, 2, 3]), "one more axis at the end"),
        (lambda: proximity.br_prox([1], 25), "one value per partner"),
        (lambda: proximity.br_prox([1], [-2]), "negative ceiling"),
        (lambda: proximity.br_prox([-1], [0]), "ceiling of 0"),
        (lambda: proximity.br_prox([[1], [1, 2]], [1, 1]), "same length"),
        (lambda: proximity.per_partner([1], [1], names=["a", "b"]), "1 partners and 2 names"),
        (lambda: proximity.profile([1], [1], self_play=[1, 2]), "self_play has 2 values for 1 partners"),
    ],
)
def test_bad_questions_are_refused_in_words(call, words):
    with pytest.raises(MeasureError, match=words):
        call()


def test_seeds_and_partners_are_drawn_each_on_their_own():
    ceilings = np.full(12, 10.0)
    alike = np.tile(np.linspace(2, 8, 12), (5, 1))  # all seeds play alike, partners differ
    apart = np.tile(np.linspace(2, 8, 5)[:, None], (1, 12))  # seeds differ, partners do not
    for returns, count in ((alike, 12), (apart, 5)):
        found = proximity.over_seeds(returns, ceilings)
        plain = bootstrap(np.unique(returns) / 10, iqm)
        assert found.iqm.value == pytest.approx(proximity.br_prox(returns.ravel(), np.full(60, 10.0)).value)
        assert found.iqm.high - found.iqm.low == pytest.approx(plain.high - plain.low, rel=0.25)
        assert len(np.unique(returns)) == count
    assert found.each == pytest.approx(np.linspace(0.2, 0.8, 5))
    assert found.mean.value == pytest.approx(0.5)


def test_one_seed_is_what_br_prox_says_of_it():
    returns, ceilings = np.array([3.0, 9, 12, 4, 7]), np.array([10.0, 10, 20, 5, 7])
    assert proximity.over_seeds([returns], ceilings).iqm.value == proximity.br_prox(returns, ceilings).value


def test_seeds_without_partners_are_refused():
    with pytest.raises(MeasureError, match=r"\[seeds, partners"):
        proximity.over_seeds([1, 2], [10, 10])
