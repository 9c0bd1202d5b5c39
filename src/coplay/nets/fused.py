"""A step of a recurrent layer as one GPU kernel: the product with the memory, the gates, and what has to be kept.

XLA makes a product and half a dozen small kernels of a step, each of which carries the gates to the memory of the card
and back; they take most of the time of a recurrent learner. Here a step forwards is one kernel and a step backwards
another, written in Pallas. Streams are rows; a program computes some rows of some units. The gates are kept, so that
the way back computes none of them again.

Arrays over time have a row more than there are steps: `shown[t]` and `states[t]` are what step t began with.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

from coplay.nets import whole
from coplay.nets.layers import Gru, Lstm

Array = jax.Array
Memory = tuple[Array, ...]
SLOTS = 4  # columns that are kept of a step, as wide as the memory each
ROWS, UNITS, DEPTH = 64, 64, 64  # of one program; of the products' inner axis at a time
POWERS = (16, 32, 64, 128)  # widths that a program can hold as they are
WARPS = {Gru: 4, Lstm: 8}  # the quickest of benchmarks/recurrent.py on an H200


class GruGates:
    """Kept: reset, update, new, and what the memory says for the new before it is reset. The state is the output."""

    columns = 3  # of the projected inputs
    d_projected = (0, 1, 2)  # the slots that are the slope of each column of the inputs' share
    d_recalled = (0, 1, 3)  # and of the memory's share

    @staticmethod
    def forward(into: list[Array], back: list[Array], state: Array) -> tuple[Array, Array, list[Array]]:
        """(what is shown, the state after, the slots)"""
        reset, update = jax.nn.sigmoid(into[0] + back[0]), jax.nn.sigmoid(into[1] + back[1])
        new = jnp.tanh(into[2] + reset * back[2])
        after = (1 - update) * new + update * state
        return after, after, [reset, update, new, back[2]]

    @staticmethod
    def backward(slots: list[Array], before: Array, after: Array, d_shown: Array, d_state: Array) -> Any:
        """(slopes of the slots, slope of the state before)"""
        reset, update, new, told = slots
        slope = d_shown + d_state
        d_new = slope * (1 - update) * (1 - new * new)
        d_update = slope * (before - new) * update * (1 - update)
        d_reset = d_new * told * reset * (1 - reset)
        return [d_reset, d_update, d_new, d_new * reset], slope * update


class LstmGates:
    """Kept: input, forget, cell, output gate, as they are after their nonlinearity. The state is the cell."""

    columns = 4
    d_projected = d_recalled = (0, 1, 2, 3)

    @staticmethod
    def forward(into: list[Array], back: list[Array], state: Array) -> tuple[Array, Array, list[Array]]:
        enter, forget, new, show = (mine + theirs for mine, theirs in zip(into, back, strict=True))
        enter, forget, show = jax.nn.sigmoid(enter), jax.nn.sigmoid(forget + 1), jax.nn.sigmoid(show)
        new = jnp.tanh(new)
        after = forget * state + enter * new
        return show * jnp.tanh(after), after, [enter, forget, new, show]

    @staticmethod
    def backward(slots: list[Array], before: Array, after: Array, d_shown: Array, d_state: Array) -> Any:
        enter, forget, new, show = slots
        bent = jnp.tanh(after)
        slope = d_state + d_shown * show * (1 - bent * bent)
        d_enter = slope * new * enter * (1 - enter)
        d_forget = slope * before * forget * (1 - forget)
        d_new = slope * enter * (1 - new * new)
        return [d_enter, d_forget, d_new, d_shown * bent * show * (1 - show)], slope * forget


class Kernel(NamedTuple):
    """How a layer is computed; equal ones share a compiled program."""

    gates: Any  # GruGates or LstmGates
    rows: int
    units: int
    depth: int
    warps: int = 4
    stages: int = 3
    interpret: bool = False  # on a CPU, for tests
    whole: bool = False  # a kernel runs all steps (`coplay.nets.whole`), not one

    @property
    def slots(self) -> int:
        return SLOTS

    def compiled(self) -> dict[str, Any]:
        """How `pallas_call` is to make a program of it."""
        if self.interpret:
            return {"interpret": True}
        from jax.experimental.pallas import triton

        return {"compiler_params": triton.CompilerParams(num_warps=self.warps, num_stages=self.stages)}


def kernel_for(cell: Gru | Lstm, streams: int, interpret: bool = False) -> Kernel | None:
    """None where the layer or the number of streams does not fit."""
    gates = GruGates if isinstance(cell, Gru) else LstmGates
    small = cell.hidden <= whole.WIDEST and cell.hidden in POWERS and streams % whole.ROWS == 0
    if small and not interpret:
        # One stage: nothing is loaded ahead. Three stages of 128 units need more shared memory than an H200 has.
        return Kernel(gates, whole.ROWS, cell.hidden, cell.hidden, stages=1, whole=True)
    rows = next((size for size in (ROWS, 32, 16) if streams % size == 0), 0)
    if interpret:
        return Kernel(gates, rows or streams, cell.hidden, cell.hidden, interpret=True)
    return Kernel(gates, rows, UNITS, DEPTH, WARPS[type(cell)]) if rows and cell.hidden % UNITS == 0 else None


def recur(
    kernel: Kernel, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array
) -> tuple[Memory, Array]:
    """As `coplay.nets.recur.recur`, of streams in one axis: projected [time, streams, gates], fresh [time, streams]."""
    return _recur(kernel, weight, bias, memory, projected, fresh)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _recur(kernel: Kernel, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array) -> Any:
    shown, states, _ = _run(kernel, weight, bias, memory, projected, fresh)
    return _memory(kernel, shown[-1], states[-1]), shown[1:]


def _memory(kernel: Kernel, shown: Array, state: Array) -> Memory:
    return (state,) if kernel.gates is GruGates else (shown.astype(jnp.float32), state)


def _run(
    kernel: Kernel, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array
) -> tuple[Array, Array, Array]:
    """(shown [time + 1, ...], states [time + 1, ...], slots [time, ...])"""
    steps, (streams, hidden) = projected.shape[0], memory[0].shape
    dtype = projected.dtype
    weight, alive = weight.astype(dtype), _alive(fresh)
    if kernel.whole:
        return whole.run(kernel, weight, bias, (memory[0], memory[-1]), projected, alive)
    shown = jnp.zeros((steps + 1, streams, hidden), dtype).at[0].set(memory[0].astype(dtype))
    states = jnp.zeros((steps + 1, streams, hidden), jnp.float32).at[0].set(memory[-1])
    slots = jnp.zeros((steps, streams, SLOTS * hidden), dtype)
    one = pl.pallas_call(
        partial(_forward_step, kernel, hidden),
        out_shape=tuple(jax.ShapeDtypeStruct(column.shape, column.dtype) for column in (shown, states, slots)),
        grid=(streams // kernel.rows, hidden // kernel.units),
        input_output_aliases={5: 0, 6: 1, 7: 2},
        **kernel.compiled(),
    )

    def step(number: Array, now: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        return tuple(one(number[None], weight, bias, projected, alive, *now))

    return jax.lax.fori_loop(0, steps, step, (shown, states, slots))


def _alive(fresh: Array) -> Array:
    """float32 [time, streams, 1]: 0 where the memory is emptied before the step."""
    return (~fresh)[..., None].astype(jnp.float32)


def _forward_step(
    kernel: Kernel, hidden: int, number: Any, weight: Any, bias: Any, projected: Any, alive: Any, *refs: Any
) -> None:
    """`refs`: shown, states and slots as they come in (the same memory as what goes out), then as they go out."""
    shown, states, _, next_shown, next_states, kept = refs
    step = number[0]
    rows = pl.ds(pl.program_id(0) * kernel.rows, kernel.rows)
    first = pl.program_id(1) * kernel.units
    lives = alive[step, rows, :]
    columns = kernel.gates.columns

    def add(place: Any, sums: tuple[Array, ...]) -> tuple[Array, ...]:
        inner = pl.ds(place * kernel.depth, kernel.depth)
        memory = shown[step, rows, inner]
        parts = [weight[inner, pl.ds(column * hidden + first, kernel.units)] for column in range(columns)]
        return tuple(total + _product(memory, part) for total, part in zip(sums, parts, strict=True))

    nothing = jnp.zeros((kernel.rows, kernel.units), jnp.float32)
    sums = jax.lax.fori_loop(0, hidden // kernel.depth, add, (nothing,) * columns)
    units = [pl.ds(column * hidden + first, kernel.units) for column in range(SLOTS)]
    # An emptied memory says nothing: the product of zeros.
    back = [lives * total + bias[unit][None, :] for total, unit in zip(sums, units, strict=False)]
    into = [projected[step, rows, unit].astype(jnp.float32) for unit in units[:columns]]
    mine = units[0]
    told, after, slots = kernel.gates.forward(into, back, lives * states[step, rows, mine])
    next_shown[step + 1, rows, mine] = told.astype(next_shown.dtype)
    next_states[step + 1, rows, mine] = after
    for unit, slot in zip(units, slots, strict=True):
        kept[step, rows, unit] = slot.astype(kept.dtype)


def _product(left: Array, right: Array) -> Array:
    return jnp.dot(left, right, preferred_element_type=jnp.float32)


def _forward(kernel: Kernel, weight: Array, bias: Array, memory: Memory, projected: Array, fresh: Array) -> Any:
    shown, states, slots = _run(kernel, weight, bias, memory, projected, fresh)
    saved = (weight.astype(projected.dtype), fresh, shown, states, slots)
    return (_memory(kernel, shown[-1], states[-1]), shown[1:]), saved


def _backward(kernel: Kernel, saved: Any, slope: tuple[Memory, Array]) -> tuple[Any, ...]:
    weight, fresh, shown, states, slots = saved
    d_memory, d_output = slope
    gates, hidden = kernel.gates, shown.shape[-1]
    if gates is LstmGates:  # what is shown last is also the memory at the end
        d_output = d_output.at[-1].add(d_memory[0].astype(d_output.dtype))
    alive = _alive(fresh)
    run_back = whole.run_back if kernel.whole else _run_back
    d_slots, d_state, d_shown = run_back(kernel, weight, d_memory[-1], d_output, alive, states, slots)
    d_projected, d_recalled = (_chosen(d_slots, columns, hidden) for columns in (gates.d_projected, gates.d_recalled))
    before = shown[:-1] * alive.astype(shown.dtype)
    d_weight = jnp.einsum("tsh,tsg->hg", before, d_recalled, preferred_element_type=jnp.float32)
    d_bias = d_recalled.sum((0, 1), dtype=jnp.float32)
    d_first = (d_shown + d_state,) if gates is GruGates else (d_shown, d_state)
    return d_weight, d_bias, d_first, d_projected, None


def _chosen(slots: Array, columns: tuple[int, ...], hidden: int) -> Array:
    """[..., columns x hidden] of slots [..., slots x hidden]"""
    return jnp.concatenate([slots[..., column * hidden : (column + 1) * hidden] for column in columns], axis=-1)


def _run_back(
    kernel: Kernel, weight: Array, d_state: Array, d_output: Array, alive: Array, states: Array, slots: Array
) -> tuple[Array, Array, Array]:
    """(slopes of the slots [time, ...]; slopes of the first state and of what was shown first)"""
    steps, streams, hidden = d_output.shape
    turned = weight.T
    # After the last step nothing comes; so that every step may look at the one after it, there is an empty one.
    alive = jnp.concatenate([alive, jnp.ones((1, streams, 1), jnp.float32)])
    d_slots = jnp.zeros((steps + 1, streams, SLOTS * hidden), slots.dtype)
    one = pl.pallas_call(
        partial(_backward_step, kernel, hidden),
        out_shape=tuple(jax.ShapeDtypeStruct(column.shape, column.dtype) for column in (d_slots, d_state)),
        grid=(streams // kernel.rows, hidden // kernel.units),
        input_output_aliases={6: 0, 7: 1},
        **kernel.compiled(),
    )

    def step(count: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        number = steps - 1 - count
        return tuple(one(number[None], turned, d_output, alive, states, slots, *now))

    d_slots, d_state = jax.lax.fori_loop(0, steps, step, (d_slots, d_state))
    d_first = _chosen(d_slots[0], kernel.gates.d_recalled, hidden) @ turned
    return d_slots[:-1], d_state, alive[0] * d_first.astype(jnp.float32)


def _backward_step(
    kernel: Kernel,
    hidden: int,
    number: Any,
    turned: Any,
    d_output: Any,
    alive: Any,
    states: Any,
    slots: Any,
    *refs: Any,
) -> None:
    """`refs`: the slopes of slots and state as they come in (the same memory as what goes out), then as they go out."""
    later, d_state, d_slots, d_before = refs
    step = number[0]
    rows = pl.ds(pl.program_id(0) * kernel.rows, kernel.rows)
    first = pl.program_id(1) * kernel.units
    mine = pl.ds(first, kernel.units)
    gates = kernel.gates
    total = jnp.zeros((kernel.rows, kernel.units), jnp.float32)
    for column, slot in enumerate(gates.d_recalled):

        def add(place: Any, total: Array, column: int = column, slot: int = slot) -> Array:
            slope = later[step + 1, rows, pl.ds(slot * hidden + place * kernel.depth, kernel.depth)]
            part = turned[pl.ds(column * hidden + place * kernel.depth, kernel.depth), mine]
            return total + _product(slope, part)

        total = jax.lax.fori_loop(0, hidden // kernel.depth, add, total)
    d_shown = d_output[step, rows, mine].astype(jnp.float32) + alive[step + 1, rows, :] * total
    lives = alive[step, rows, :]
    units = [pl.ds(slot * hidden + first, kernel.units) for slot in range(SLOTS)]
    kept = [slots[step, rows, unit].astype(jnp.float32) for unit in units]
    before, after = lives * states[step, rows, mine], states[step + 1, rows, mine]
    slopes, d_first = gates.backward(kept, before, after, d_shown, d_state[rows, mine])
    for unit, slope in zip(units, slopes, strict=True):
        d_slots[step, rows, unit] = slope.astype(d_slots.dtype)
    d_before[rows, mine] = lives * d_first


_recur.defvjp(_forward, _backward)
