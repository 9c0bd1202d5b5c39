"""Recurrent layers over sequences: the hand-written backward pass is what autodiff would find."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.nets.layers import Gru, Lstm
from coplay.nets.recur import recur

TIME, STREAMS, INPUTS, HIDDEN = 4, 4, 5, 4


def random_cell(kind: Any, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    skeleton = jax.eval_shape(lambda key: kind(key, INPUTS, HIDDEN), jax.random.key(0))
    return jax.tree.map(lambda leaf: jnp.asarray(rng.standard_normal(leaf.shape), jnp.float32), skeleton)


def plain_loop(cell: Any, memory: Any, projected: Any, fresh: Any) -> Any:
    """One step after another; nothing clever."""
    outputs = []
    for now in range(TIME):
        memory = tuple(jnp.where(fresh[now][..., None], 0.0, part) for part in memory)
        memory = cell.gate(memory, projected[now], memory[0] @ cell.back.weight + cell.back.bias)
        outputs.append(memory[0])
    return memory, jnp.stack(outputs)


def looked_at(run: Any, cell: Any, memory: Any, inputs: Any, fresh: Any, weights: Any) -> Any:
    """A number to which every output and every last memory contributes differently."""
    last, outputs = run(cell, memory, inputs @ cell.into.weight + cell.into.bias, fresh)
    return (weights[0] * outputs).sum() + sum((w * m).sum() for w, m in zip(weights[1:], last, strict=False))


@pytest.mark.parametrize("kind", [Gru, Lstm])
def test_the_backward_pass_is_that_of_a_plain_loop(kind: Any):
    rng = np.random.default_rng(1)

    def draw(*shape: int) -> Any:
        return jnp.asarray(rng.standard_normal(shape), jnp.float32)

    cell = random_cell(kind)
    memory = tuple(draw(STREAMS, HIDDEN) for _ in cell.start())
    inputs = draw(TIME, STREAMS, INPUTS)
    weights = (draw(TIME, STREAMS, HIDDEN), draw(STREAMS, HIDDEN), draw(STREAMS, HIDDEN))
    fresh = jnp.asarray(rng.random((TIME, STREAMS)) < 0.3)
    assert fresh[1:].any(), "a game must begin in the middle of a sequence"
    assert not fresh[0].all(), "a memory must be carried in"

    def slopes(run: Any) -> Any:
        def total(cell: Any, memory: Any, inputs: Any) -> Any:
            return looked_at(run, cell, memory, inputs, fresh, weights)

        return jax.jit(jax.value_and_grad(total, argnums=(0, 1, 2)))(cell, memory, inputs)

    ours = slopes(lambda cell, memory, projected, fresh: recur(cell, memory, projected, fresh, jnp.float32))
    theirs = slopes(plain_loop)
    for mine, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-4)
    carried_in = np.abs(ours[1][1][0]).sum(-1)
    assert ((carried_in == 0) == np.asarray(fresh[0])).all(), "only what a new game did not wipe out has a slope"


def test_gates_are_the_textbooks():
    rng = np.random.default_rng(2)
    projected, recalled = rng.standard_normal((2, 4 * HIDDEN))
    before, cell = rng.standard_normal((2, HIDDEN))

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + np.exp(-x))

    (h,) = Gru.gate((jnp.asarray(before),), jnp.asarray(projected[: 3 * HIDDEN]), jnp.asarray(recalled[: 3 * HIDDEN]))
    xr, xz, xn = projected[: 3 * HIDDEN].reshape(3, -1)
    hr, hz, hn = recalled[: 3 * HIDDEN].reshape(3, -1)
    z, new = sigmoid(xz + hz), np.tanh(xn + sigmoid(xr + hr) * hn)
    np.testing.assert_allclose(h, (1 - z) * new + z * before, atol=1e-6)

    shown, kept = Lstm.gate((jnp.asarray(before), jnp.asarray(cell)), jnp.asarray(projected), jnp.asarray(recalled))
    i, f, g, o = (projected + recalled).reshape(4, -1)
    after = sigmoid(f + 1) * cell + sigmoid(i) * np.tanh(g)
    np.testing.assert_allclose(kept, after, atol=1e-6)
    np.testing.assert_allclose(shown, sigmoid(o) * np.tanh(after), atol=1e-6)
