"""Running a recurrent layer over whole sequences, forwards and backwards.

The backward pass is written out, because what a compiler derives is several times slower. It keeps the memories only,
finds the gates of all steps again in one matrix product, and gathers the weights' gradient in another after the loop;
a step of the backward loop is then one product and one fused kernel.
"""

from __future__ import annotations

import math
import os
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from coplay.nets import fused
from coplay.nets.layers import Gru, Lstm

Array = jax.Array
Memory = tuple[Array, ...]
UNROLL = 4  # steps per turn of the loop: fewer, longer turns cost a GPU less


def recur(cell: Gru | Lstm, memory: Memory, projected: Array, fresh: Array, dtype: Any) -> tuple[Memory, Array]:
    """(memory at the end, outputs [time, ...streams, hidden]) of projected inputs [time, ...streams, gates].

    `fresh` bool [time, ...streams]: the memory is emptied before this step.
    """
    streams = projected.shape[1:-1]
    kernel = _kernel(cell, math.prod(streams), dtype)
    if kernel is None:
        return _recur(cell.gate, dtype, cell.back.weight, cell.back.bias, memory, projected, fresh)
    rows = tuple(part.reshape(-1, cell.hidden) for part in memory)
    columns = (column.reshape(column.shape[0], -1, *column.shape[1 + len(streams) :]) for column in (projected, fresh))
    memory, outputs = fused.recur(kernel, cell.back.weight, cell.back.bias, rows, *columns)
    return tuple(part.reshape(*streams, -1) for part in memory), outputs.reshape(-1, *streams, cell.hidden)


def _kernel(cell: Gru | Lstm, streams: int, dtype: Any) -> fused.Kernel | None:
    """The kernel of a GPU for the layer, where it fits; COPLAY_FUSED=0 does without, 1 tries it on any GPU."""
    asked = os.environ.get("COPLAY_FUSED")
    if asked == "0" or dtype != jnp.bfloat16 or jax.default_backend() != "gpu" or not (asked or _hopper()):
        return None
    return fused.kernel_for(cell, streams)


def _hopper() -> bool:
    """The only kind of GPU on which it was measured; others may lack the memory that its tiles need."""
    return getattr(jax.devices()[0], "compute_capability", "").startswith("9.")


def _unless(fresh: Array, memory: Memory) -> Memory:
    return tuple(jnp.where(fresh[..., None], 0, part) for part in memory)


def _run(
    gate: Any, dtype: Any, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array
) -> tuple[tuple[Memory, Array], Memory]:
    """((memory at the end, outputs), the memories each step began with)"""
    weight, bias = weight.astype(dtype), bias.astype(dtype)

    def advance(memory: Memory, step: Array) -> tuple[Memory, Memory]:
        kept = _unless(_at(fresh, step), memory)
        return gate(kept, _at(projected, step), kept[0].astype(dtype) @ weight + bias), kept

    def one(step: Array, now: tuple[Memory, Array, Memory]) -> tuple[Memory, Array, Memory]:
        memory, outputs, every = now
        memory, kept = advance(memory, step)
        every = tuple(_put(column, part, step) for column, part in zip(every, kept, strict=True))
        return memory, _put(outputs, memory[0], step), every

    steps = projected.shape[0]
    nothing = (
        jnp.zeros((steps, *memory[0].shape), dtype),
        tuple(jnp.zeros((steps, *m.shape), m.dtype) for m in memory),
    )
    memory, outputs, kept = _loop(steps, one, (memory, *nothing))
    return (memory, outputs), kept


def _at(column: Array, step: Array) -> Array:
    return jax.lax.dynamic_index_in_dim(column, step, keepdims=False)


def _put(column: Array, part: Array, step: Array) -> Array:
    return jax.lax.dynamic_update_index_in_dim(column, part.astype(column.dtype), step, 0)


def _loop(steps: int, one: Any, now: Any) -> Any:
    """One step after the other. Columns are read and written at an index, for what a scan goes over is laid out anew
    where several learners are stacked, with all its steps."""
    return jax.lax.fori_loop(0, steps, one, now, unroll=_unroll())


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

    d_output = slope[1]
    steps = projected.shape[0]

    def one(number: Array, now: tuple[Memory, Array, Array]) -> tuple[Memory, Array, Array]:
        d_memory, d_projected, d_recalled = now
        step = steps - 1 - number
        d_after = (d_memory[0] + _at(d_output, step).astype(jnp.float32), *d_memory[1:])
        _, pull = jax.vjp(gate, tuple(_at(part, step) for part in kept), _at(projected, step), _at(recalled, step))
        d_kept, d_into, d_back = pull(d_after)
        d_shown = d_kept[0] + (d_back @ weight.T).astype(jnp.float32)
        d_memory = _unless(_at(fresh, step), (d_shown, *d_kept[1:]))
        return d_memory, _put(d_projected, d_into, step), _put(d_recalled, d_back, step)

    nothing = jnp.zeros_like(projected), jnp.zeros_like(recalled)
    d_memory, d_projected, d_recalled = _loop(steps, one, (slope[0], *nothing))
    gates = d_recalled.reshape(-1, d_recalled.shape[-1])
    d_weight = jnp.matmul(before.reshape(gates.shape[0], -1).T, gates, preferred_element_type=jnp.float32)
    return d_weight, gates.sum(0, dtype=jnp.float32), d_memory, d_projected, None


def _unroll() -> int:
    """A CPU gains nothing and compiles longer."""
    return UNROLL if jax.default_backend() == "gpu" else 1


_recur.defvjp(_forward, _backward)
