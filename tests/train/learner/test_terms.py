"""What recipes add to PPO: the divergence from a reference, and shaped rewards."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.stats import entropy

from coplay.nets.policy import masked
from coplay.train.learner.rollout import Rollout
from coplay.train.learner.terms import KLToReference, Mercy, Scene, ShapedReward, Term
from tests.train.toy import Toy, design, quick, random_network, random_rollout, stack, stage_of

GAME: Any = Toy()
REFERENCE = random_network(design(GAME, cell="gru"), seed=5)
TERM = KLToReference(REFERENCE)
GAMES = 3


def scene(turns: float = 0, game: Any = GAME) -> Scene:
    """A learner without memory, so many turns into its run."""
    return Scene(stage_of(game), stack(random_network(design(game))), jnp.float32(turns))


@quick
def prepared(memory: Any, rollout: Rollout) -> Any:
    return TERM.prepare(scene(), memory, rollout)


def parts(rollout: Rollout, begin: int, end: int) -> Rollout:
    rows, flow = jax.tree.map(lambda leaf: leaf[begin:end], (rollout.rows, rollout.flow))
    return rollout._replace(rows=rows, flow=flow)


@pytest.fixture(scope="module")
def told() -> tuple[Any, Any]:
    """Rows of two segments with what the reference would do."""
    rollout = random_rollout(GAME, 8, GAMES, 1)
    memory, first = prepared(TERM.start(scene(), GAMES), parts(rollout, 0, 4))
    _, second = prepared(memory, parts(rollout, 4, 8))
    return first.rows, second.rows


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
    rollout = random_rollout(GAME, 8, GAMES, 1)
    _, whole = prepared(TERM.start(scene(), GAMES), rollout)
    both = np.concatenate([segment.extra["reference"] for segment in told])
    np.testing.assert_allclose(both, whole.rows.extra["reference"], rtol=1e-4, atol=1e-4)
    _, forgetful = prepared(TERM.start(scene(), GAMES), parts(rollout, 4, 8))
    legal = np.asarray(rollout.rows.legal)[4:]
    difference = np.asarray(forgetful.rows.extra["reference"])[legal] - both[4:][legal]
    assert np.abs(difference).max() > 1e-2


def paid(term: Term, rollout: Rollout, turns: float, game: Any = GAME) -> np.ndarray:
    _, after = term.prepare(scene(turns, game), (), rollout)
    return np.asarray(after.flow.reward)


def test_a_shaped_reward_fades_away():
    game = Toy(simultaneous=True)
    rollout = random_rollout(game, 4, GAMES, 2)
    shaped = jnp.asarray(np.random.default_rng(0).normal(size=(4, GAMES, 2)))
    rollout = rollout._replace(flow=rollout.flow._replace(events={"shaped": shaped}))
    for turns, share in ((0, 1.0), (50, 0.5), (100, 0.0), (300, 0.0)):
        change = paid(ShapedReward(100), rollout, turns, game) - np.asarray(rollout.flow.reward)
        np.testing.assert_allclose(change, share * shaped, atol=1e-6)


def test_every_seat_is_paid_for_its_own_deeds():
    """A learner with one seat at each table has rows of that seat only."""
    game = Toy(simultaneous=True)
    rollout = random_rollout(game, 4, GAMES, 1)
    seat = jnp.asarray(np.random.default_rng(1).integers(0, 2, rollout.rows.seat.shape), jnp.int32)
    shaped = jnp.broadcast_to(jnp.asarray([3.0, 5.0]), (4, GAMES, 2))
    rollout = rollout._replace(
        rows=rollout.rows._replace(seat=seat), flow=rollout.flow._replace(events={"shaped": shaped})
    )
    change = paid(ShapedReward(100), rollout, 0, game) - np.asarray(rollout.flow.reward)
    np.testing.assert_allclose(change, np.where(seat == 0, 3, 5), atol=1e-6)


def test_losses_grow_to_their_full_weight():
    rollout = random_rollout(GAME, 4, GAMES, 1)
    reward = np.asarray(rollout.flow.reward)
    for turns, share in ((0, 0.0), (50, 0.5), (100, 1.0), (300, 1.0)):
        np.testing.assert_allclose(paid(Mercy(100), rollout, turns), np.where(reward < 0, share, 1) * reward, atol=1e-6)
