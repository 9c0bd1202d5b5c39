"""The few layers our networks are made of.

Weights are float32; a layer computes in `dtype` (bfloat16 on a GPU, where it is four times as fast). All layers take
any number of leading batch axes, so nothing has to be vmapped.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

Array = jax.Array


# Odd polynomials that bring every singular value to 1: ten times the first lifts the smallest (about 1e-5 at worst) to
# 0.7 and more, six times the second ends within rounding.
LIFT, SETTLE = (3.4445, -4.775, 2.0315), (1.5, -0.5, 0.0)


@partial(jax.jit, static_argnums=(1, 2, 3))
def orthogonal(key: Array, inputs: int, outputs: int, gain: float) -> Array:
    """float32 [inputs, outputs]: orthonormal columns (rows, where these are fewer) times the gain, drawn uniformly.

    By products alone (the polar factor of a normal matrix, Newton and Schulz): factorisations of LAPACK in one compiled
    program can wait for each other for ever where there are only two cores, and a GPU loads its solvers for seconds.
    A program of its own, compiled once for all layers and networks of these sizes.
    """
    long, short = max(inputs, outputs), min(inputs, outputs)
    drawn = jax.random.normal(key, (long, short)) / (math.sqrt(long) + math.sqrt(short))  # no singular value beyond 1.2

    def nearer(x: Array, weights: Array) -> tuple[Array, None]:
        square = jnp.matmul(x.T, x, precision="highest")
        more = weights[1] * square + weights[2] * jnp.matmul(square, square, precision="highest")
        return weights[0] * x + jnp.matmul(x, more, precision="highest"), None

    columns, _ = jax.lax.scan(nearer, drawn, jnp.asarray([LIFT] * 10 + [SETTLE] * 6))
    return gain * (columns if inputs >= outputs else columns.T)


class Dense(eqx.Module):
    """x @ weight + bias"""

    weight: Array  # float32 [inputs, outputs]
    bias: Array  # float32 [outputs]

    def __init__(self, key: Array, inputs: int, outputs: int, gain: float = math.sqrt(2), parts: int = 1) -> None:
        """`parts` layers side by side, each initialised on its own: one matrix product computes them all."""
        each = [orthogonal(k, inputs, outputs // parts, gain) for k in jax.random.split(key, parts)]
        self.weight = jnp.concatenate(each, axis=1)
        self.bias = jnp.zeros(outputs)

    def __call__(self, x: Array, dtype: Any) -> Array:
        return x.astype(dtype) @ self.weight.astype(dtype) + self.bias.astype(dtype)

    def precisely(self, x: Array, dtype: Any) -> Array:
        """float32 results of a product in `dtype`: a value of 20 in bfloat16 would come in steps of an eighth."""
        product = jnp.matmul(x.astype(dtype), self.weight.astype(dtype), preferred_element_type=jnp.float32)
        return product + self.bias


class LayerNorm(eqx.Module):
    """Zero mean and unit variance over the last axis, then a learned scale and shift; computed in float32."""

    scale: Array
    shift: Array

    def __init__(self, size: int) -> None:
        self.scale, self.shift = jnp.ones(size), jnp.zeros(size)

    def __call__(self, x: Array) -> Array:
        x = x.astype(jnp.float32)
        x = x - x.mean(-1, keepdims=True)
        return x * jax.lax.rsqrt(jnp.square(x).mean(-1, keepdims=True) + 1e-6) * self.scale + self.shift


class Convolution(eqx.Module):
    """A square filter over [..., height, width, channels] that keeps height and width.

    Neighbourhoods are laid side by side and multiplied as one matrix: kitchens are small, and a compiler's own
    convolution is slow when several learners' filters are stacked.
    """

    filter: Dense  # size x size x inputs -> outputs
    size: int = eqx.field(static=True)

    def __init__(self, key: Array, size: int, inputs: int, outputs: int) -> None:
        self.filter = Dense(key, size * size * inputs, outputs)
        self.size = size

    def __call__(self, x: Array, dtype: Any) -> Array:
        height, width = x.shape[-3:-1]
        edge = self.size // 2
        around = [(0, 0)] * (x.ndim - 3) + [(edge, edge), (edge, edge), (0, 0)]
        padded = jnp.pad(x.astype(dtype), around)
        shifts = [(i, j) for i in range(self.size) for j in range(self.size)]
        near = [padded[..., i : i + height, j : j + width, :] for i, j in shifts]
        return self.filter(jnp.concatenate(near, axis=-1), dtype)


class Gru(eqx.Module):
    """Gated recurrent unit; the input's share of the gates is computed outside the loop, for all steps at once."""

    into: Dense  # inputs -> 3 x hidden: reset, update, new
    back: Dense  # hidden -> 3 x hidden
    hidden: int = eqx.field(static=True)

    def __init__(self, key: Array, inputs: int, hidden: int) -> None:
        into, back = jax.random.split(key)
        self.into = Dense(into, inputs, 3 * hidden, gain=1.0, parts=3)
        self.back = Dense(back, hidden, 3 * hidden, gain=1.0, parts=3)
        self.hidden = hidden

    def start(self) -> tuple[Array, ...]:
        return (jnp.zeros(self.hidden),)

    @staticmethod
    def gate(carry: tuple[Array, ...], projected: Array, recalled: Array) -> tuple[Array, ...]:
        """The memory after a step, from the input's and the memory's share of the gates."""
        (h,) = carry
        x_reset, x_update, x_new = jnp.split(projected.astype(jnp.float32), 3, axis=-1)
        h_reset, h_update, h_new = jnp.split(recalled.astype(jnp.float32), 3, axis=-1)
        update = jax.nn.sigmoid(x_update + h_update)
        new = jnp.tanh(x_new + jax.nn.sigmoid(x_reset + h_reset) * h_new)
        return ((1 - update) * new + update * h,)


class Lstm(eqx.Module):
    """Long short-term memory; as in `Gru`, the input's share of the gates is computed outside the loop."""

    into: Dense  # inputs -> 4 x hidden: input, forget, cell, output
    back: Dense
    hidden: int = eqx.field(static=True)

    def __init__(self, key: Array, inputs: int, hidden: int) -> None:
        into, back = jax.random.split(key)
        self.into = Dense(into, inputs, 4 * hidden, gain=1.0, parts=4)
        self.back = Dense(back, hidden, 4 * hidden, gain=1.0, parts=4)
        self.hidden = hidden

    def start(self) -> tuple[Array, ...]:
        return (jnp.zeros(self.hidden), jnp.zeros(self.hidden))

    @staticmethod
    def gate(carry: tuple[Array, ...], projected: Array, recalled: Array) -> tuple[Array, ...]:
        """The memory after a step, from the input's and the memory's share of the gates."""
        _, cell = carry
        enter, forget, new, show = jnp.split(projected.astype(jnp.float32) + recalled.astype(jnp.float32), 4, axis=-1)
        # A forget gate that starts open keeps early gradients alive.
        cell = jax.nn.sigmoid(forget + 1) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
        return (jax.nn.sigmoid(show) * jnp.tanh(cell), cell)


def dropout(x: Array, rate: float, key: Array | None) -> Array:
    """Zeroes a share of the entries while training; without a key it does nothing."""
    if key is None or rate == 0:
        return x
    return jnp.where(jax.random.bernoulli(key, 1 - rate, x.shape), x / (1 - rate), 0)
