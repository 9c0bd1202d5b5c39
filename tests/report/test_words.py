"""What pages say about numbers: halves, single things, and what is not certain."""

from __future__ import annotations

import math

import pytest

import coplay
from coplay.measure.stats import Estimate
from coplay.report.html import counted, forfeited, percent, with_interval
from coplay.report.pages.evaluation import _failures
from coplay.report.sections.pool_comparison import Rival, _verdict
from tests.report.made_up import made_up


@pytest.mark.parametrize(("share", "words"), [(0.225, "23"), (0.145, "15"), (0.005, "1"), (0.5, "50"), (1 / 3, "33")])
def test_halves_are_rounded_up(share: float, words: str):
    assert percent(share) == f"{words}\u00a0%"


def test_one_is_one():
    assert forfeited(1).startswith("1 game was forfeited and earned nothing")
    assert forfeited(2).startswith("2 games were forfeited and earned nothing")
    assert with_interval(Estimate(1.0, math.nan, math.nan, 1)) == "too few games for an interval"
    assert counted(1, "turn") == "1 turn"
    assert counted(1200, "turn") == "1,200 turns"


def test_only_who_certainly_scores_more_is_said_to():
    assert _verdict(Rival("a", 3, 10.0, 9.9, 0.2)) == "unsure"
    assert _verdict(Rival("a", 3, 10.0, 9.0, 0.2)) == "bad"
    assert _verdict(Rival("a", 3, 10.0, 11.0, 0.2)) == ""


def failures(own: float, *partners: tuple[str, float]) -> str:
    return _failures(made_up(coplay.make("hanabi"), own, dict(partners)))


def test_who_scores_nothing_alone_is_held_against_its_best_partner():
    words = failures(0.0, ("good", 8.0), ("poor", 1.0))
    assert "With 1 of 2 partners" in words
    assert "With good it scores 8.00." in words
    assert "below 4.00, half of that" in words
    assert "poor" in words
    assert "nothing with anybody" in failures(0.0, ("good", 0.0))
    assert "None." in failures(10.0, ("good", 8.0))


def test_where_scores_may_be_negative_half_is_half_way_from_the_lowest():
    words = failures(-2.0, ("good", -1.0), ("poor", -10.0))
    assert "With 1 of 2 partners" in words
    assert "below -6.00, half-way to that from the lowest score that was seen, -10." in words
