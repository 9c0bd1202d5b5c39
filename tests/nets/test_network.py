"""What a network's parts see."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.nets.network import Network, remembering
from tests.train.toy import Toy, design, random_network, stack

GAME: Any = Toy()
PUBLIC: dict[str, Any] = {"cell": "lstm", "hears": "every", "private": 2}


def seen(network: Network, observations: Any) -> Any:
    """(memory, features, logits) after these observations."""
    carry, features = network.step(network.start(), observations[0])
    for observation in observations[1:]:
        carry, features = network.step(carry, observation)
    return carry, features, network.heads(features)[0]


def test_a_public_memory_does_not_see_what_is_private():
    network = random_network(design(GAME, **PUBLIC))
    first = np.random.default_rng(1).integers(0, 3, (4, *GAME.observation_shape)).astype(np.uint8)
    other = first.copy()
    other[:, :2] += 1
    (carry, features, _), (same, changed, _) = seen(network, first), seen(network, other)
    for a, b in zip(jax.tree.leaves(carry), jax.tree.leaves(same), strict=True):
        np.testing.assert_array_equal(a, b)
    assert not np.allclose(features, changed)
    other[0, 2:] += 1
    assert not np.allclose(seen(network, other)[1], changed), "what all saw at first is remembered"


def test_sequences_are_the_steps_one_after_the_other():
    network = random_network(design(GAME, **PUBLIC))
    observations = np.random.default_rng(2).integers(0, 3, (5, *GAME.observation_shape)).astype(np.uint8)
    _, features = network.unroll(network.start(), jnp.asarray(observations), jnp.zeros(5, bool))
    np.testing.assert_allclose(features[-1], seen(network, observations)[1], rtol=1e-4, atol=1e-5)


def test_whoever_is_given_a_memory_decides_as_before_until_it_learns():
    before = random_network(design(GAME))
    after: Network = remembering(stack(before), jax.random.split(jax.random.key(0), 1), "lstm", 4, private=2)
    alone = jax.tree.map(lambda leaf: leaf[0], after)
    observations = np.random.default_rng(3).integers(0, 3, (4, *GAME.observation_shape)).astype(np.uint8)
    np.testing.assert_array_equal(seen(alone, observations)[2], before.heads(before.step((), observations[-1])[1])[0])
    assert alone.design == design(GAME, **PUBLIC | {"hidden": 4})
    assert jax.tree.structure(alone) == jax.tree.structure(random_network(alone.design))


def test_a_public_memory_needs_a_memory():
    with pytest.raises(ValueError, match="is a memory"):
        random_network(design(GAME, private=2))
