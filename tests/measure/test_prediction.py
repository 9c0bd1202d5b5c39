"""Action prediction in both units, beside uniform play."""

from __future__ import annotations

import math

import numpy as np
import pytest

from coplay.measure import MeasureError
from coplay.measure.prediction import action_prediction

LEGAL = np.array([4, 8, 8, 4])


def test_uniform_predictions_score_as_uniform_play():
    result = action_prediction(-np.log(LEGAL), LEGAL, players=2)
    assert result.cross_entropy.value == pytest.approx(result.uniform) == pytest.approx(np.log(LEGAL).mean())
    assert result.uniform_accuracy == pytest.approx((0.25 + 0.125) / 2)
    assert result.accuracy is None


def test_the_papers_unit_counts_the_waiting_seats():
    """Averaging over seats that could only wait is the same as filling those steps with zeros."""
    logs = np.log([0.5, 0.25, 0.9, 0.1])
    result = action_prediction(logs, LEGAL, players=3)
    filled = np.concatenate([-logs, np.zeros(8)])
    assert result.paper_cross_entropy.value == pytest.approx(filled.mean())
    assert result.paper_uniform == pytest.approx(result.uniform / 3)
    assert result.paper_cross_entropy.low == pytest.approx(result.cross_entropy.low / 3)


def test_accuracy_is_over_real_decisions():
    result = action_prediction(np.log([0.5] * 4), LEGAL, players=2, hits=[True, False, True, True])
    assert result.accuracy is not None
    assert result.accuracy.value == 0.75


def test_decisions_of_a_game_are_drawn_together():
    logs = np.log(np.repeat([0.9, 0.5, 0.1, 0.3], 20))
    legal = np.full(80, 5)
    alone = action_prediction(logs, legal, 2).cross_entropy
    by_game = action_prediction(logs, legal, 2, games=np.repeat(np.arange(4), 20)).cross_entropy
    assert by_game.high - by_game.low > 2 * (alone.high - alone.low)


def test_one_impossible_action_makes_the_cross_entropy_infinite():
    result = action_prediction([0, -math.inf, -1, -1], LEGAL, players=2)
    assert result.cross_entropy.value == math.inf
    assert result.impossible == 1


def test_smoothing_makes_it_finite():
    result = action_prediction([0, -math.inf], [4, 5], players=2, smoothing=0.1)
    assert result.cross_entropy.value == pytest.approx(-(math.log(0.9 + 0.1 / 4) + math.log(0.1 / 5)) / 2)
    assert result.impossible == 0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: action_prediction([], [], 2), "log_probs is empty"),
        (lambda: action_prediction([math.nan], [1], 2), "log_probs holds nan"),
        (lambda: action_prediction([0.7], [1], 2), "at most 0"),
        (lambda: action_prediction([-1], [0], 2), "legal_actions holds 0"),
        (lambda: action_prediction([-1], [2.5], 2), "legal_actions holds 2.5"),
        (lambda: action_prediction([-1, -1], [3], 2), "1 entries for 2 decisions"),
        (lambda: action_prediction([-1], [3], 0), "players"),
        (lambda: action_prediction([-1], [3], 2, hits=[2]), "true or false"),
        (lambda: action_prediction([-1], [3], 2, smoothing=1), "below 1"),
    ],
)
def test_bad_questions_are_refused_in_words(call, words):
    with pytest.raises(MeasureError, match=words):
        call()
