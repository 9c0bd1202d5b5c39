"""Recurrent layers over sequences: the hand-written backward pass is what autodiff would find."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.nets import fused
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


def as_one_kernel(cell: Any, memory: Any, projected: Any, fresh: Any) -> Any:
    """The kernels of a GPU, step by step as they are written."""
    kernel = fused.kernel_for(cell, STREAMS, interpret=True)
    assert kernel is not None
    return fused.recur(kernel, cell.back.weight, cell.back.bias, memory, projected, fresh)


def as_one_kernel_for_all_steps(cell: Any, memory: Any, projected: Any, fresh: Any) -> Any:
    gates = fused.GruGates if isinstance(cell, Gru) else fused.LstmGates
    kernel = fused.Kernel(gates, STREAMS // 2, HIDDEN, HIDDEN, interpret=True, whole=True)
    return fused.recur(kernel, cell.back.weight, cell.back.bias, memory, projected, fresh)


def in_a_loop(cell: Any, memory: Any, projected: Any, fresh: Any) -> Any:
    return recur(cell, memory, projected, fresh, jnp.float32)


@pytest.mark.parametrize("kind", [Gru, Lstm])
@pytest.mark.parametrize("run", [in_a_loop, as_one_kernel, as_one_kernel_for_all_steps])
def test_the_backward_pass_is_that_of_a_plain_loop(kind: Any, run: Any):
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

    ours = slopes(run)
    theirs = slopes(plain_loop)
    for mine, other in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-4, atol=1e-4)
    carried_in = np.abs(ours[1][1][0]).sum(-1)
    assert ((carried_in == 0) == np.asarray(fresh[0])).all(), "only what a new game did not wipe out has a slope"


@pytest.mark.parametrize("run", [in_a_loop, as_one_kernel, as_one_kernel_for_all_steps])
def test_stacked_layers_are_each_what_they_are_alone(run: Any):
    rng = np.random.default_rng(3)
    cells = [random_cell(Lstm, seed) for seed in (4, 5)]
    projected = jnp.asarray(rng.standard_normal((2, TIME, STREAMS, 4 * HIDDEN)), jnp.float32)
    memory = tuple(jnp.asarray(rng.standard_normal((2, STREAMS, HIDDEN)), jnp.float32) for _ in range(2))
    fresh = jnp.asarray(rng.random((TIME, STREAMS)) < 0.3)
    stack = jax.tree.map(lambda *leaves: jnp.stack(leaves), *cells)
    together = jax.jit(jax.vmap(run, (0, 0, 0, None)))(stack, memory, projected, fresh)
    for number, cell in enumerate(cells):
        alone = jax.jit(run)(cell, tuple(part[number] for part in memory), projected[number], fresh)
        for mine, other in zip(jax.tree.leaves(together), jax.tree.leaves(alone), strict=True):
            np.testing.assert_allclose(mine[number], other, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [Gru, Lstm])
@pytest.mark.parametrize("hidden", [128, 256])
def test_the_kernels_can_be_compiled_for_a_gpu(kind: Any, hidden: int):
    """As far as that goes without one: to the code that the driver would translate."""
    cell = jax.eval_shape(lambda key: kind(key, 64, hidden), jax.random.key(0))
    kernel = fused.kernel_for(cell, streams=128)
    assert kernel is not None
    assert kernel.whole == (hidden == 128), "a small layer's steps are one kernel"
    width = cell.back.weight.shape[1]

    def slope(weight: Any, bias: Any, memory: Any, projected: Any, fresh: Any) -> Any:
        def total(weight: Any) -> Any:
            return fused.recur(kernel, weight, bias, memory, projected, fresh)[1].astype(jnp.float32).sum()

        return jax.grad(total)(weight)

    shapes = (
        jax.ShapeDtypeStruct((2, hidden, width), jnp.float32),
        jax.ShapeDtypeStruct((2, width), jnp.float32),
        tuple(jax.ShapeDtypeStruct((2, 128, hidden), jnp.float32) for _ in cell.start()),
        jax.ShapeDtypeStruct((2, 4, 128, width), jnp.bfloat16),
        jax.ShapeDtypeStruct((2, 4, 128), jnp.bool_),
    )
    code = jax.jit(jax.vmap(slope)).trace(*shapes).lower(lowering_platforms=("cuda",)).as_text()
    assert code.count("__gpu$xla.gpu.triton") == 2, "one kernel forwards, one backwards"


def test_layers_that_fit_no_kernel_have_none():
    cell = random_cell(Gru)
    assert fused.kernel_for(cell, streams=64) is None, "too narrow"
    wide = jax.eval_shape(lambda key: Gru(key, 64, 64), jax.random.key(0))
    assert fused.kernel_for(wide, streams=7) is None, "too few streams for a tile"


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
