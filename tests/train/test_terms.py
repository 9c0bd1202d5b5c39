"""What recipes add to PPO: the divergence from a reference, and shaped rewards."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import entropy

from coplay.agents.nets.policy import masked
from coplay.train.rows import Rows
from coplay.train.terms import KLToReference, Mercy, ShapedReward
from tests.train.toy import Toy, design, quick, random_network, random_rows

GAME: Any = Toy()
REFERENCE = random_network(design(GAME, cell="gru"), seed=5)
TERM = KLToReference(REFERENCE)
GAMES = 3


@quick
def prepared(memory: Any, rows: Rows) -> Any:
    return TERM.prepare(GAME, memory, rows, jnp.float32(0), jnp.float32)


def parts(rows: Rows, begin: int, end: int) -> Rows:
    return jax.tree.map(lambda leaf: leaf[begin:end], rows)


@pytest.fixture(scope="module")
def told() -> tuple[Rows, Rows]:
    """Rows of two segments with what the reference would do."""
    rows = random_rows(GAME, 8, GAMES, 1)
    memory, first = prepared(TERM.start(GAME, GAMES), parts(rows, 0, 4))
    _, second = prepared(memory, parts(rows, 4, 8))
    return first, second


def test_the_divergence_is_from_the_reference_to_the_learner(told: Any):
    rows = told[0]
    logits = masked(jnp.asarray(3 * np.random.default_rng(0).normal(size=rows.legal.shape)), rows.legal)
    found = float(TERM.loss(REFERENCE, rows, logits, jnp.float32(0)))
    mine, theirs = (np.asarray(jax.nn.softmax(x)) for x in (logits, rows.extra["reference"]))
    learns, legal = np.asarray(rows.learns), np.asarray(rows.legal)
    right, reverse = [], []
    for p, q, ok in zip(theirs[learns], mine[learns], legal[learns], strict=True):
        assert p[~ok].sum() == 0, "the reference plays legal actions only"
        right.append(entropy(p[ok], q[ok]))
        reverse.append(entropy(q[ok], p[ok]))
    assert found == pytest.approx(np.mean(right), rel=1e-4)
    assert found != pytest.approx(np.mean(reverse), rel=0.05)


def test_there_is_none_between_a_reference_and_itself(told: Any):
    rows = told[0]
    assert float(TERM.loss(REFERENCE, rows, rows.extra["reference"], jnp.float32(0))) == pytest.approx(0, abs=1e-6)


def test_the_reference_remembers_across_segments(told: Any):
    rows = random_rows(GAME, 8, GAMES, 1)
    _, whole = prepared(TERM.start(GAME, GAMES), rows)
    both = np.concatenate([segment.extra["reference"] for segment in told])
    np.testing.assert_allclose(both, whole.extra["reference"], rtol=1e-4, atol=1e-4)
    _, forgetful = prepared(TERM.start(GAME, GAMES), parts(rows, 4, 8))
    legal = np.asarray(rows.legal)[4:]
    difference = np.asarray(forgetful.extra["reference"])[legal] - both[4:][legal]
    assert np.abs(difference).max() > 1e-2


def test_a_shaped_reward_fades_away():
    rows = random_rows(GAME, 4, GAMES, 2)._replace(extra={"shaped": jnp.ones((4, GAMES, 2))})
    for turns, share in ((0, 1.0), (50, 0.5), (100, 0.0), (300, 0.0)):
        _, after = ShapedReward(100).prepare(GAME, (), rows, jnp.float32(turns), jnp.float32)
        np.testing.assert_allclose(after.reward - rows.reward, share, atol=1e-6)


def test_losses_grow_to_their_full_weight():
    rows = random_rows(GAME, 4, GAMES, 1)
    lost = np.asarray(rows.reward) < 0
    for turns, share in ((0, 0.0), (50, 0.5), (100, 1.0), (300, 1.0)):
        _, after = Mercy(100).prepare(GAME, (), rows, jnp.float32(turns), jnp.float32)
        np.testing.assert_allclose(after.reward, np.where(lost, share, 1) * np.asarray(rows.reward), atol=1e-6)
