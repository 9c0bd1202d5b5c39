"""Running a recurrent layer over whole sequences, forwards and backwards.

The backward pass is written out, because what a compiler derives is several times slower. It keeps the memories only,
finds the gates of all steps again in one matrix product, and gathers the weights' gradient in another after the loop;
a step of the backward loop is then one product and one fused kernel.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from coplay.nets.layers import Gru, Lstm

Array = jax.Array
Memory = tuple[Array, ...]
UNROLL = 4  # steps per turn of the loop: fewer, longer turns cost a GPU less


def recur(cell: Gru | Lstm, memory: Memory, projected: Array, fresh: Array, dtype: Any) -> tuple[Memory, Array]:
    """(memory at the end, outputs [time, ...streams, hidden]) of projected inputs [time, ...streams, gates].

    `fresh` bool [time, ...streams]: the memory is emptied before this step.
    """
    return _recur(cell.gate, dtype, cell.back.weight, cell.back.bias, memory, projected, fresh)


def _unless(fresh: Array, memory: Memory) -> Memory:
    return tuple(jnp.where(fresh[..., None], 0, part) for part in memory)


def _run(
    gate: Any, dtype: Any, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array
) -> tuple[tuple[Memory, Array], Memory]:
    """((memory at the end, outputs), the memories each step began with)"""
    weight, bias = weight.astype(dtype), bias.astype(dtype)

    def advance(memory: Memory, now: tuple[Array, Array]) -> tuple[Memory, tuple[Array, Memory]]:
        projected, is_fresh = now
        kept = _unless(is_fresh, memory)
        after = gate(kept, projected, kept[0].astype(dtype) @ weight + bias)
        return after, (after[0].astype(dtype), kept)

    memory, (outputs, kept) = jax.lax.scan(advance, memory, (projected, fresh), unroll=_unroll())
    return (memory, outputs), kept


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _recur(gate: Any, dtype: Any, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array) -> Any:
    return _run(gate, dtype, weight, bias, memory, projected, fresh)[0]


def _forward(
    gate: Any, dtype: Any, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array
) -> tuple[Any, Any]:
    result, kept = _run(gate, dtype, weight, bias, memory, projected, fresh)
    return result, (weight.astype(dtype), bias.astype(dtype), projected, fresh, kept)


def _backward(gate: Any, dtype: Any, saved: Any, slope: tuple[Memory, Array]) -> tuple[Any, ...]:
    weight, bias, projected, fresh, kept = saved
    before = kept[0].astype(dtype)
    recalled = before @ weight + bias

    def retreat(d_memory: Memory, now: Any) -> tuple[Memory, tuple[Array, Array]]:
        kept, projected, recalled, is_fresh, d_output = now
        d_after = (d_memory[0] + d_output.astype(jnp.float32), *d_memory[1:])
        _, pull = jax.vjp(gate, kept, projected, recalled)
        d_kept, d_projected, d_recalled = pull(d_after)
        d_shown = d_kept[0] + (d_recalled @ weight.T).astype(jnp.float32)
        return _unless(is_fresh, (d_shown, *d_kept[1:])), (d_projected, d_recalled)

    columns = (kept, projected, recalled, fresh, slope[1])
    d_memory, (d_projected, d_recalled) = jax.lax.scan(retreat, slope[0], columns, reverse=True, unroll=_unroll())
    gates = d_recalled.reshape(-1, d_recalled.shape[-1])
    d_weight = jnp.matmul(before.reshape(gates.shape[0], -1).T, gates, preferred_element_type=jnp.float32)
    return d_weight, gates.sum(0, dtype=jnp.float32), d_memory, d_projected, None


def _unroll() -> int:
    """A CPU gains nothing and compiles longer."""
    return UNROLL if jax.default_backend() == "gpu" else 1


_recur.defvjp(_forward, _backward)
