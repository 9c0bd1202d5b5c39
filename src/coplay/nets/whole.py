"""A whole sequence of a small recurrent layer as one GPU kernel.

The memory of a layer of at most 128 units fits into the registers of one program: it takes some streams and goes with
them from step to step, and nothing has to wait for the other programs or for the host in between. Where a step alone is
a kernel (`coplay.nets.fused`), starting it takes longer than what it computes for such a layer.

Arrays are those of `fused`: `shown[t]` and `states[t]` are what step t began with, slots are what is kept of a step.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

if TYPE_CHECKING:
    from coplay.nets.fused import Kernel

Array = jax.Array
WIDEST = 128  # units
ROWS = 16  # streams of one program: few, for there are fewer programs than the card has processors


def run(
    kernel: Kernel, weight: Array, bias: Array, first: tuple[Array, Array], projected: Array, alive: Array
) -> tuple[Array, Array, Array]:
    """(shown [time + 1, ...], states [time + 1, ...], slots [time, ...]); `first`: what was shown, and the state."""
    steps, (streams, hidden) = projected.shape[0], first[1].shape
    shapes = (
        jax.ShapeDtypeStruct((steps + 1, streams, hidden), projected.dtype),
        jax.ShapeDtypeStruct((steps + 1, streams, hidden), jnp.float32),
        jax.ShapeDtypeStruct((steps, streams, kernel.slots * hidden), projected.dtype),
    )
    body = partial(_forward, kernel, hidden, steps)
    made = pl.pallas_call(body, out_shape=shapes, grid=(streams // kernel.rows,), **kernel.compiled())
    return made(weight, bias, *first, projected, alive)


def _forward(
    kernel: Kernel,
    hidden: int,
    steps: int,
    weight: Any,
    bias: Any,
    first_shown: Any,
    first_state: Any,
    projected: Any,
    alive: Any,
    *outputs: Any,
) -> None:
    shown, states, kept = outputs
    rows = pl.ds(pl.program_id(0) * kernel.rows, kernel.rows)
    units = [pl.ds(column * hidden, hidden) for column in range(kernel.slots)]
    columns = units[: kernel.gates.columns]
    told, state = first_shown[rows, :].astype(shown.dtype), first_state[rows, :]
    shown[0, rows, :], states[0, rows, :] = told, state

    def step(number: Any, now: tuple[Array, Array]) -> tuple[Array, Array]:
        told, state = now
        lives = alive[number, rows, :]
        # An emptied memory says nothing: the product of zeros.
        back = [lives * _product(told, weight[:, unit]) + bias[unit][None, :] for unit in columns]
        into = [projected[number, rows, unit].astype(jnp.float32) for unit in columns]
        told, state, slots = kernel.gates.forward(into, back, lives * state)
        told = told.astype(shown.dtype)
        shown[number + 1, rows, :], states[number + 1, rows, :] = told, state
        for unit, slot in zip(units, slots, strict=True):
            kept[number, rows, unit] = slot.astype(kept.dtype)
        return told, state

    jax.lax.fori_loop(0, steps, step, (told, state))


def run_back(
    kernel: Kernel, weight: Array, d_state: Array, d_output: Array, alive: Array, states: Array, slots: Array
) -> tuple[Array, Array, Array]:
    """(slopes of the slots [time, ...]; slopes of the first state and of what was shown first)"""
    steps, streams, hidden = d_output.shape
    shapes = (
        jax.ShapeDtypeStruct(slots.shape, slots.dtype),
        jax.ShapeDtypeStruct(d_state.shape, jnp.float32),
        jax.ShapeDtypeStruct(d_state.shape, jnp.float32),
    )
    body = partial(_backward, kernel, hidden, steps)
    made = pl.pallas_call(body, out_shape=shapes, grid=(streams // kernel.rows,), **kernel.compiled())
    return made(weight.T, d_state, d_output, alive, states, slots)


def _backward(
    kernel: Kernel,
    hidden: int,
    steps: int,
    turned: Any,
    d_last: Any,
    d_output: Any,
    alive: Any,
    states: Any,
    slots: Any,
    *outputs: Any,
) -> None:
    d_slots, d_first, d_shown_first = outputs
    rows = pl.ds(pl.program_id(0) * kernel.rows, kernel.rows)
    units = [pl.ds(slot * hidden, hidden) for slot in range(kernel.slots)]

    def step(count: Any, now: tuple[Array, Array]) -> tuple[Array, Array]:
        d_state, d_shown = now
        number = steps - 1 - count
        lives = alive[number, rows, :]
        kept = [slots[number, rows, unit].astype(jnp.float32) for unit in units]
        before, after = lives * states[number, rows, :], states[number + 1, rows, :]
        d_shown = d_shown + d_output[number, rows, :].astype(jnp.float32)
        slopes, d_state = kernel.gates.backward(kept, before, after, d_shown, d_state)
        narrow = [slope.astype(d_slots.dtype) for slope in slopes]
        for unit, slope in zip(units, narrow, strict=True):
            d_slots[number, rows, unit] = slope
        parts = [
            _product(narrow[slot], turned[units[column], :]) for column, slot in enumerate(kernel.gates.d_recalled)
        ]
        return lives * d_state, lives * sum(parts[1:], parts[0])

    nothing = jnp.zeros((kernel.rows, hidden), jnp.float32)
    d_state, d_shown = jax.lax.fori_loop(0, steps, step, (d_last[rows, :], nothing))
    d_first[rows, :], d_shown_first[rows, :] = d_state, d_shown


def _product(left: Array, right: Array) -> Array:
    return jnp.dot(left, right, preferred_element_type=jnp.float32)
