"""The loss: means over the learner's own decisions, and nothing else."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.train.learner.ppo import Knobs, Setup, _Batch, _entropy_weight, _loss, _value_error
from coplay.train.learner.terms import KLToReference, Scene
from coplay.train.settings import PPOSettings
from tests.train.toy import Toy, design, quick, random_network, random_rollout, replayed, stack, stage_of

GAME: Any = Toy()
GAMES, TURNS = 4, 8
NETWORK = random_network(design(GAME, cell="gru"), seed=1)
TERM = KLToReference(random_network(design(GAME), seed=2))
SETUP = Setup(stage_of(GAME), (TERM,), PPOSettings(games=GAMES, turns=TURNS), jnp.asarray([[0.5, 0.5]]))
CARRY = ((jnp.asarray(np.random.default_rng(3).normal(size=(GAMES, 2, 8)), jnp.float32),),)


@quick
def judged(batch: _Batch) -> Any:
    """(loss, metrics, gradient)"""
    weights, fixed = eqx.partition(NETWORK, eqx.is_array)
    (loss, metrics), slope = jax.value_and_grad(_loss, has_aux=True)(
        weights, fixed, SETUP, Knobs(*(knob[0] for knob in SETUP.knobs)), batch, jnp.float32(0)
    )
    return loss, metrics, slope


@pytest.fixture(scope="module")
def batch() -> _Batch:
    """In each game the seat of even turns learns; a partner has the odd ones, in a stream of its own."""
    scene = Scene(SETUP.stage, stack(NETWORK), jnp.float32(0))
    _, rollout = TERM.prepare(scene, TERM.start(scene, GAMES), random_rollout(GAME, TURNS, GAMES, 1))
    own = jnp.broadcast_to((jnp.arange(TURNS) % 2 == 0)[:, None, None], rollout.rows.learns.shape)
    rows = rollout.rows._replace(learns=own, weight=own.astype(jnp.float32))
    rng = np.random.default_rng(4)
    advantage, target = (jnp.asarray(rng.normal(size=rows.value.shape) * 3 + 1, jnp.float32) for _ in range(2))
    return _Batch(rows, advantage, target, jax.tree.map(lambda leaf: leaf[None], CARRY))


def test_the_loss_is_a_mean_over_the_learners_decisions(batch: _Batch):
    loss, metrics, _ = judged(batch)
    rows, settings = batch.rows, SETUP.settings
    logits, value = replayed(SETUP.stage, NETWORK, rows, CARRY)
    learns = np.asarray(rows.learns)
    log_probs = np.asarray(jax.nn.log_softmax(logits), np.float64)
    chosen = np.take_along_axis(log_probs, np.asarray(rows.action)[..., None], -1)[..., 0][learns]
    advantage = np.asarray(batch.advantage, np.float64)[learns]
    gain = (advantage - advantage.mean()) / advantage.std()
    ratio = np.exp(chosen - np.asarray(rows.log_prob)[learns])
    policy = -np.minimum(ratio * gain, np.clip(ratio, 0.8, 1.2) * gain).mean()
    new, old, target = (np.asarray(column, np.float64)[learns] for column in (value, rows.value, batch.target))
    near = old + np.clip(new - old, -0.2, 0.2)
    critic = 0.5 * np.maximum((new - target) ** 2, (near - target) ** 2).mean()
    plogp = np.exp(log_probs) * np.where(np.asarray(rows.legal), log_probs, 0)
    entropy = -plogp.sum(-1)[learns].mean()
    told = np.asarray(rows.extra["reference"], np.float64)
    divergence = (np.exp(told) * np.where(np.asarray(rows.legal), told - log_probs, 0)).sum(-1)[learns].mean()
    assert float(metrics["value_loss"]) == pytest.approx(critic, rel=1e-4)
    assert float(metrics["entropy"]) == pytest.approx(entropy, rel=1e-4)
    assert float(metrics["terms"]) == pytest.approx(0.5 * divergence, rel=1e-4)
    ppo = policy + settings.value_weight * critic - settings.entropy * entropy
    assert float(loss) == pytest.approx(0.5 * ppo + 0.5 * divergence, rel=1e-4)


def test_rows_that_do_not_learn_change_nothing(batch: _Batch):
    """Neither the loss nor its gradient: not even a ratio that overflows."""
    rows = batch.rows
    rng = np.random.default_rng(5)
    off = ~np.asarray(rows.learns)

    def spoil(column: Any, garbage: Any) -> Any:
        where = off.reshape(*off.shape, *(1,) * (column.ndim - 3))
        return jnp.where(where, jnp.asarray(garbage, column.dtype), column)

    huge = rng.choice([np.inf, -np.inf, np.nan, 1e30], off.shape)
    spoilt = rows._replace(
        observation=spoil(rows.observation, rng.integers(0, 255, rows.observation.shape)),
        legal=spoil(rows.legal, rng.random(rows.legal.shape) < 0.5),
        action=spoil(rows.action, rng.integers(0, 4, rows.action.shape)),
        log_prob=spoil(rows.log_prob, huge),
        value=spoil(rows.value, rng.normal(size=off.shape) * 100),
        extra={"reference": spoil(rows.extra["reference"], -5)},
    )
    other = _Batch(spoilt, spoil(batch.advantage, 1e6), spoil(batch.target, -1e6), batch.memory)
    before, after = judged(batch), judged(other)
    for old, new in zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True):
        assert np.isfinite(new).all()
        np.testing.assert_allclose(new, old, rtol=1e-4, atol=1e-6)


def test_rows_that_learn_change_it(batch: _Batch):
    lesson = batch._replace(advantage=batch.advantage.at[0, 0, 0].add(1))
    assert float(judged(lesson)[0]) != pytest.approx(float(judged(batch)[0]), abs=1e-5)


def test_a_value_gains_nothing_by_moving_further_than_the_clip():
    before, target = jnp.zeros(3), jnp.full(3, 10.0)
    value = jnp.asarray([0.1, 0.2, 5.0])
    np.testing.assert_allclose(_value_error(value, before, target, 0.2), [9.9**2, 9.8**2, 9.8**2], rtol=1e-5)
    np.testing.assert_allclose(_value_error(value, before, target, 0.0), [9.9**2, 9.8**2, 5.0**2], rtol=1e-5)


def test_the_weight_of_entropy_falls_to_what_is_left_of_it():
    falling = PPOSettings(entropy=0.1, entropy_left=0.2, total_turns=1000)
    weights = [float(_entropy_weight(falling, jnp.float32(turns))) for turns in (0, 500, 1000, 2000)]
    assert weights == pytest.approx([0.1, 0.06, 0.02, 0.02])
    assert float(_entropy_weight(PPOSettings(entropy=0.1), jnp.float32(1e9))) == pytest.approx(0.1)
