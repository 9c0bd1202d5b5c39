"""Layers against what they stand for."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.nets.layers import Convolution, Dense, LayerNorm, dropout, orthogonal


def filled(make: Any, seed: int = 0) -> Any:
    """A layer with random numbers in place of its initial ones."""
    rng = np.random.default_rng(seed)
    return jax.tree.map(
        lambda leaf: jnp.asarray(rng.standard_normal(leaf.shape), jnp.float32), jax.eval_shape(make, jax.random.key(0))
    )


@pytest.mark.parametrize("size", [3, 5])
def test_a_convolution_is_the_compilers_own(size: int):
    layer = filled(lambda key: Convolution(key, size, 3, 4))
    x = jnp.asarray(np.random.default_rng(1).standard_normal((2, 6, 5, 3)), jnp.float32)

    def theirs(weight: Any, x: Any) -> Any:
        kernel = weight.reshape(size, size, 3, 4)
        axes = ("NHWC", "HWIO", "NHWC")
        return jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=axes) + layer.filter.bias

    np.testing.assert_allclose(layer(x, jnp.float32), theirs(layer.filter.weight, x), rtol=1e-4, atol=1e-4)
    leading = layer(x[None, :, None], jnp.float32)  # any number of batch axes
    np.testing.assert_allclose(leading[0, :, 0], layer(x, jnp.float32), rtol=1e-5, atol=1e-5)


def test_a_head_keeps_full_precision_though_it_multiplies_in_half():
    layer = filled(lambda key: Dense(key, 64, 1))
    x = jnp.asarray(np.random.default_rng(1).standard_normal((50, 64)), jnp.float32)
    coarse = [np.asarray(jnp.asarray(array, jnp.bfloat16), np.float64) for array in (x, layer.weight)]
    exact = coarse[0] @ coarse[1] + 20 + np.asarray(layer.bias)
    raised = eqx.tree_at(lambda dense: dense.bias, layer, layer.bias + 20)
    precise = raised.precisely(x, jnp.bfloat16)
    assert precise.dtype == jnp.float32
    np.testing.assert_allclose(precise, exact, atol=1e-4)
    assert np.abs(np.asarray(raised(x, jnp.bfloat16), np.float64) - exact).max() > 1e-2


def test_layer_norm_leaves_no_mean_and_unit_variance():
    x = jnp.asarray(np.random.default_rng(1).standard_normal((4, 32)) * 7 + 3)
    y = LayerNorm(32)(x)
    np.testing.assert_allclose(y.mean(-1), 0, atol=1e-5)
    np.testing.assert_allclose(jnp.square(y).mean(-1), 1, atol=1e-4)


def test_dropout_keeps_the_mean_and_rests_without_a_key():
    x = jnp.ones(20_000)
    assert (dropout(x, 0.5, None) == x).all()
    some = dropout(x, 0.25, jax.random.key(0))
    assert float(some.mean()) == pytest.approx(1, abs=0.02)
    assert float((some == 0).mean()) == pytest.approx(0.25, abs=0.02)


@pytest.mark.parametrize(("inputs", "outputs"), [(40, 40), (50, 7), (7, 50), (9, 1)])
def test_new_weights_are_orthonormal_up_to_their_gain(inputs: int, outputs: int):
    weight = orthogonal(jax.random.key(0), inputs, outputs, gain=2.0)
    assert weight.shape == (inputs, outputs)
    product = weight.T @ weight if inputs >= outputs else weight @ weight.T
    assert jnp.allclose(product, 4 * jnp.eye(min(inputs, outputs)), atol=1e-4)
