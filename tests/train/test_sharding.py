"""Several devices: the games are spread, the result is the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import jax
import numpy as np

from coplay.train.ppo import Setup, start, update
from coplay.train.settings import PPOSettings, TrainError
from coplay.train.sharding import spread
from tests.train.toy import Toy, design, quick, random_network, stack, stage_of

game = Toy()
settings = PPOSettings(games=8, turns=6, epochs=1, minibatches=2, learning_rate=1e-2)
networks = stack(random_network(design(game)))
setup = Setup(stage_of(game), (), settings)
learner = quick(start)(setup, networks, jax.random.key(0))
step = quick(update)

assert len(jax.devices()) == 2
wide = spread(learner, 8)
for leaf in jax.tree.leaves((wide.tables.states, wide.tables.labels, wide.tables.fresh)):
    shapes = {shard.data.shape[0] for shard in leaf.addressable_shards}
    assert len(leaf.sharding.device_set) == 2 and shapes == {leaf.shape[0] // 2}, leaf.sharding
for leaf in jax.tree.leaves((wide.networks, wide.optimiser)):
    assert leaf.sharding.is_fully_replicated and len(leaf.sharding.device_set) == 2

one, many = learner, wide
for _ in range(2):
    one, told = step(setup, one)
    many, also = step(setup, many)
    for name in told:
        np.testing.assert_allclose(told[name], also[name], rtol=1e-4, atol=1e-5, err_msg=name)
assert not many.tables.states.numbers.sharding.is_fully_replicated, "the games came together again"
for a, b in zip(jax.tree.leaves(one.networks), jax.tree.leaves(many.networks), strict=True):
    np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)

try:
    spread(learner, 7)
except TrainError as error:
    assert "7 games cannot be spread evenly over 2 devices" in str(error)
else:
    raise AssertionError("7 games were spread over 2 devices")
print("same")
"""


@pytest.mark.slow
def test_two_devices_learn_what_one_would():
    flags = "--xla_force_host_platform_device_count=2"
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=Path(__file__).parents[2],
        env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == "same"
