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

from coplay.train.learner.partners import Block, Partners
from coplay.train.learner.ppo import Setup, start, update
from coplay.train.devices.sharding import spread
from coplay.train.settings import PPOSettings, TrainError
from tests.train.learner.test_rollout import Quiet
from tests.train.toy import Toy, design, quick, random_network, stack, stage_of

game = Toy()
settings = PPOSettings(games=64, turns=6, epochs=1, minibatches=2, learning_rate=1e-2)
assert len(jax.devices()) == 8


def compiled(setup, learner):
    options = {"xla_backend_optimization_level": 0}
    return jax.jit(lambda learner: update(setup, learner)).lower(learner).compile(compiler_options=options)


def compare(setup, networks, learners):
    \"\"\"One device and eight: (the learner on eight, multiplications of the program that a device runs).\"\"\"
    one = quick(start)(setup, networks, jax.random.key(0))
    many = spread(one, 64 * learners, learners)
    alone, shared = compiled(setup, one), compiled(setup, many)
    for _ in range(2):
        (one, told), (many, also) = alone(one), shared(many)
        many = jax.tree.map(jax.device_put, many, shared.input_shardings[0][0])
        for name in told:
            np.testing.assert_allclose(told[name], also[name], rtol=1e-4, atol=1e-5, err_msg=name)
    for a, b in zip(jax.tree.leaves(one.networks), jax.tree.leaves(many.networks), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)
    return many, [program.cost_analysis()["flops"] for program in (alone, shared)]


wide = design(game, embed=64, actor=64, critic=64)
setup = Setup(stage_of(game, minibatches=2), (), settings)
many, (alone, shared) = compare(setup, stack(random_network(wide)), 1)
assert shared < 1.3 * alone / 8, f"a device computes {shared / alone:.2f} of the whole, not an eighth"
for leaf in jax.tree.leaves((many.tables.states, many.tables.labels, many.tables.fresh)):
    assert {shard.data.shape[0] for shard in leaf.addressable_shards} == {leaf.shape[0] // 8}, leaf.sharding
for leaf in jax.tree.leaves((many.networks, many.optimiser)):
    assert leaf.sharding.is_fully_replicated

# As many learners as devices: each has its own, and nothing is copied.
setup = Setup(stage_of(game, learners=8, minibatches=2), (), settings)
many, (alone, shared) = compare(setup, stack(*[random_network(wide, seed) for seed in range(8)]), 8)
assert shared < 1.3 * alone / 8, f"a device computes {shared / alone:.2f} of the whole, not an eighth"
for leaf in jax.tree.leaves(many.networks):
    assert {shard.data.shape[0] for shard in leaf.addressable_shards} == {1}

# With partners, the learner in one seat of each table.
partners = Partners((Block((Quiet(),), 64),))
compare(Setup(stage_of(game, partners=partners, minibatches=2), (), settings), stack(random_network(wide)), 1)

try:
    spread(many, 65)
except TrainError as error:
    assert "65 games cannot be spread evenly over 8 devices" in str(error)
else:
    raise AssertionError("65 games were spread over 8 devices")
print("same")
"""


@pytest.mark.slow
def test_eight_devices_learn_what_one_would_with_an_eighth_of_the_work_each():
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
    answer = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=Path(__file__).parents[3],
        env={**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"},
        capture_output=True,
        text=True,
        timeout=900,
    )
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip() == "same"
