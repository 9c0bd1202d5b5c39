"""COLE's graph: who gets along with whom, and who is met most for it."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest

from coplay.train.learner.graph import by_graph, joined, shapley, walked, worth
from coplay.train.learner.partners import Block, Cast, Partners
from tests.train.toy import quick

# Three that get along, and one with whom nobody scores.
EDGES = jnp.asarray([[0, 8, 6, 1], [8, 0, 7, 1], [6, 7, 0, 1], [1, 1, 1, 0]], jnp.float32)
SIZE, OWN = 3, 1


def partners(priority: float = 1.0) -> Partners:
    block = Block((Cast(SIZE, OWN),), 8, copies=2 * (SIZE + OWN))
    return Partners((block,), priority=priority, ranked=SIZE, graph=True)


valued = quick(shapley)
weighed = quick(lambda returns, utility: by_graph(partners(), returns, utility, 2).weights)


def test_values_share_out_what_all_are_worth():
    values = np.asarray(valued(EDGES))
    assert values.sum() == pytest.approx(float(worth(EDGES, jnp.ones(4, bool))), rel=1e-4)
    assert values.argmin() == 3


def test_a_walk_stays_among_the_members_and_comes_by_those_who_get_along():
    often = np.asarray(walked(EDGES, jnp.asarray([True, True, False, True])))
    assert often.sum() == pytest.approx(1, abs=1e-5)
    assert often[2] == 0
    assert often[0] == pytest.approx(often[1], abs=1e-5)
    assert often[0] > often[3]
    alone = np.asarray(walked(jnp.zeros((4, 4)), jnp.ones(4, bool)))
    np.testing.assert_allclose(alone, 0.25, atol=1e-6)


def test_whoever_gets_along_with_nobody_is_met_most():
    """The second learner scores as much with the last of its cast as the first does, but its cast does not."""
    returns = jnp.asarray([5.0, 5.0, 5.0, 9.0] * 2)
    even = jnp.asarray([[0, 5, 5], [5, 0, 5], [5, 5, 0]], jnp.float32)
    apart = jnp.asarray([[0, 5, 0], [5, 0, 0], [0, 0, 0]], jnp.float32)
    weights = np.asarray(weighed(returns, jnp.stack([even, apart]))).reshape(2, SIZE + OWN)
    assert weights[0, :SIZE] == pytest.approx(1, abs=0.1)
    assert weights[1, 2] > weights[1, 0]
    assert weights[1, 2] > weights[1, 1]
    np.testing.assert_allclose(weights[:, :SIZE].mean(1), 1, rtol=1e-5)
    np.testing.assert_array_equal(weights[:, SIZE:], 1)


def test_where_nobody_scores_yet_all_are_met_alike():
    nothing = weighed(jnp.zeros(8), jnp.zeros((2, SIZE, SIZE)))
    np.testing.assert_allclose(np.asarray(nothing), 1, rtol=1e-5)


def test_who_joins_brings_what_it_scored_with_the_others():
    utility = jnp.arange(2 * 9, dtype=jnp.float32).reshape(2, 3, 3)
    after = np.asarray(joined(utility, jnp.asarray([1.0, 2.0, 3.0, 9.0, 4.0, 5.0, 6.0, 9.0]), jnp.int32(1)))
    np.testing.assert_array_equal(after[0, 1], [1, 0, 3])
    np.testing.assert_array_equal(after[0, :, 1], [1, 0, 3])
    np.testing.assert_array_equal(after[1, 1], [4, 0, 6])
    assert after[0, 0, 2] == utility[0, 0, 2], "what others score with each other stays"
