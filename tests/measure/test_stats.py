"""Estimates and their intervals, against scipy and against what must hold of any sample."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from coplay.measure import MeasureError, stats
from coplay.measure.stats import Estimate

SAMPLES = st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=40)
FEW = {"resamples": 200}


@given(SAMPLES)
def test_the_inter_quartile_mean_is_scipys_trimmed_mean(sample):
    assert stats.iqm(sample) == pytest.approx(scipy.stats.trim_mean(sample, 0.25), abs=1e-9)


def test_the_inter_quartile_mean_ignores_both_ends():
    assert stats.iqm([-1000, 4, 6, 1000]) == 5
    assert stats.iqm([[1, 2, 3, 100], [0, 1, 1, 9]], axis=1) == pytest.approx([2.5, 1])
    assert stats.iqm([7]) == 7


@pytest.mark.parametrize("statistic", [np.mean, np.median, stats.iqm])
def test_intervals_agree_with_scipys_percentile_bootstrap(statistic):
    sample = np.random.default_rng(0).gamma(2, size=300)
    ours = stats.bootstrap(sample, statistic)
    theirs = scipy.stats.bootstrap(
        (sample,), statistic, n_resamples=4000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), rel=0.02)
    assert ours.value == pytest.approx(statistic(sample))
    assert ours.n == 300


def test_statistics_without_an_axis_give_the_same_interval():
    sample = np.random.default_rng(0).normal(size=30)
    assert stats.bootstrap(sample, lambda x: float(np.mean(x)), **FEW) == pytest.approx(
        stats.bootstrap(sample, np.mean, **FEW)
    )


def test_equal_clusters_are_drawn_as_their_means_are():
    sample, deal = np.random.default_rng(0).normal(size=60), np.repeat(np.arange(20), 3)
    clustered = stats.bootstrap(sample, np.mean, clusters=deal)
    of_means = stats.bootstrap(sample.reshape(20, 3).mean(1), np.mean)
    assert clustered[:3] == pytest.approx(of_means[:3])


def test_unequal_clusters_are_drawn_whole():
    deal = [0, 0, 0, 1]
    seen = set()
    stats.bootstrap([1, 2, 3, 4], lambda x: seen.add(tuple(sorted(x))) or 0.0, clusters=deal, resamples=50)
    assert seen == {(1, 2, 3, 4), (1, 1, 2, 2, 3, 3), (4, 4)}


def test_games_of_one_partner_tell_less_than_as_many_of_different_partners():
    rng = np.random.default_rng(0)
    partner = np.repeat(np.arange(12), 50)
    scores = rng.normal(size=12)[partner] * 3 + rng.normal(size=600)
    alone, by_partner = stats.bootstrap(scores, np.mean), stats.bootstrap(scores, np.mean, clusters=partner)
    deal = np.tile(np.arange(50), 12)
    by_both = stats.bootstrap(scores, np.mean, clusters=(deal, partner))
    assert 4 < (by_partner.high - by_partner.low) / (alone.high - alone.low) < 12
    assert (by_both.high - by_both.low) > 0.95 * (by_partner.high - by_partner.low)


def test_intervals_over_partners_hold_the_truth_as_often_as_they_say():
    rng, held, trials = np.random.default_rng(5), 0, 200
    partner = np.repeat(np.arange(25), 8)
    for _ in range(trials):
        scores = rng.normal(size=25)[partner] + rng.normal(size=200)
        estimate = stats.bootstrap(scores, np.mean, clusters=partner, resamples=400)
        held += estimate.low <= 0 <= estimate.high
    assert 0.88 < held / trials < 0.99


@settings(max_examples=30)
@given(SAMPLES, st.floats(-50, 50), st.floats(0.1, 10))
def test_shifting_and_stretching_the_scores_shifts_and_stretches_the_interval(sample, shift, stretch):
    plain = stats.bootstrap(sample, np.mean, **FEW)
    moved = stats.bootstrap(np.array(sample) * stretch + shift, np.mean, **FEW)
    assert moved[:3] == pytest.approx(tuple(x * stretch + shift for x in plain[:3]), abs=1e-6, nan_ok=True)


@settings(max_examples=30)
@given(SAMPLES, st.integers(0, 5))
def test_an_interval_lies_within_the_sample_and_repeats_with_its_seed(sample, seed):
    estimate = stats.bootstrap(sample, np.median, seed=seed, **FEW)
    assert estimate.n == len(sample)
    if len(sample) > 1:
        assert min(sample) <= estimate.low <= estimate.high <= max(sample)
        assert estimate == stats.bootstrap(sample, np.median, seed=seed, **FEW)


def test_names_of_clusters_do_not_matter():
    sample, deal = np.arange(12.0), [0, 1, 2, 3] * 3
    by_name = stats.bootstrap(sample, np.mean, clusters=["zyxw"[d] for d in deal])
    assert by_name == stats.bootstrap(sample, np.mean, clusters=deal)


def test_a_bot_that_always_scores_the_same_has_an_interval_of_no_width():
    assert stats.bootstrap([25] * 10, np.mean) == Estimate(25, 25, 25, 10)


def test_one_value_or_one_cluster_says_nothing_about_the_spread():
    for estimate in (stats.bootstrap([3], np.mean), stats.bootstrap([3, 4], np.mean, clusters=["a", "a"])):
        assert math.isnan(estimate.low)
        assert math.isnan(estimate.high)


@given(st.lists(st.integers(0, 25), min_size=6, max_size=60))
def test_the_interval_of_a_median_is_scipys(sample):
    ours, theirs = stats.median(sample), scipy.stats.quantile_test(sample).confidence_interval()
    assert (ours.value, ours.low, ours.high) == pytest.approx((np.median(sample), theirs.low, theirs.high))


def test_five_values_are_too_few_for_the_interval_of_a_median():
    assert math.isnan(stats.median([1, 2, 3, 4, 5]).low)
    assert stats.median([1, 2, 3, 4, 5, 6])[:3] == (3.5, 1, 6)


def test_clustered_medians_use_the_bootstrap():
    deal = np.repeat(np.arange(5), 4)
    assert stats.median(np.arange(20), clusters=deal) == stats.bootstrap(np.arange(20), np.median, clusters=deal)


@pytest.mark.parametrize("statistic", [np.mean, lambda x: float(np.mean(x))])
def test_the_same_deals_make_a_difference_sharper(statistic):
    rng = np.random.default_rng(0)
    deal = rng.normal(size=200) * 5
    a, b = deal + 1 + rng.normal(size=200), deal + rng.normal(size=200)
    paired = stats.difference(a, b, statistic, resamples=500)
    mixed = stats.difference(a, rng.permutation(b), statistic, resamples=500)
    assert paired.low > 0.7
    assert paired.high < 1.3
    assert (mixed.high - mixed.low) > 3 * (paired.high - paired.low)
    assert paired[:3] == pytest.approx(stats.bootstrap(a - b, np.mean, resamples=500)[:3])


def test_the_planner_gives_the_textbook_count():
    assert stats.games_needed(8, 0.5) == 984
    assert stats.games_needed(1.4, 0.5) == 31
    assert stats.games_needed(8, 0.5, confidence=0.99) == math.ceil((scipy.stats.norm.ppf(0.995) * 16) ** 2)
    assert stats.games_needed(0.001, 1) == 2


def test_alike_games_on_one_deal_need_more_of_them():
    assert stats.games_needed(8, 0.5, per_cluster=2, correlation=0) == 984
    assert stats.games_needed(8, 0.5, per_cluster=2, correlation=1) == 2 * 984
    assert stats.games_needed(8, 0.5, per_cluster=10, correlation=0.5) % 10 == 0


def test_common_deals_shrink_differences():
    assert stats.difference_sd(3) == pytest.approx(3 * math.sqrt(2))
    assert stats.difference_sd(3, 1) == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: stats.iqm([]), "x is empty"),
        (lambda: stats.iqm([1, float("nan")]), "nan at position 1"),
        (lambda: stats.iqm([1, float("inf")]), "inf at position 1"),
        (lambda: stats.iqm("many"), "must be numbers"),
        (lambda: stats.iqm([[1], [1, 2]]), "same length"),
        (lambda: stats.bootstrap(3, np.mean), r"Write \[3"),
        (lambda: stats.bootstrap([1, 2], np.mean, clusters=[0]), "each of the 2 values"),
        (lambda: stats.bootstrap([1, 2], np.mean, clusters=1), "one label per value"),
        (lambda: stats.bootstrap([1, 2], np.mean, clusters=[0, math.nan]), "clusters holds NaN"),
        (lambda: stats.bootstrap([1, 2], np.mean, confidence=95), "between 0 and 1"),
        (lambda: stats.bootstrap([1, 2], np.mean, resamples=0), "at least 1"),
        (lambda: stats.bootstrap([1, 2], np.mean, seed=-1), "seed must be"),
        (lambda: stats.bootstrap([1, 2], np.sort), "one finite number"),
        (lambda: stats.bootstrap([1, 2], lambda x: math.nan), "one finite number"),
        (lambda: stats.difference([1, 2], [1]), "same deals"),
        (lambda: stats.games_needed(0, 1), "sd must be a positive number; got 0"),
        (lambda: stats.games_needed(1, -1), "half_width must be a positive number; got -1"),
        (lambda: stats.games_needed(1, 1, correlation=2), "between 0 and 1; got 2"),
        (lambda: stats.games_needed(1, 1, per_cluster=0), "per_cluster"),
        (lambda: stats.difference_sd(1, 2), "correlation"),
    ],
)
def test_bad_questions_are_refused_in_words(call, words):
    with pytest.raises(MeasureError, match=words):
        call()
