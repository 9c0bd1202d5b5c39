"""Actors as the scripts of JaxMARL and JaxAHT build them with Flax: dense layers with a critic beside, some with a GRU.

Weights are called as Flax names them: `Dense_0,kernel` [inputs, outputs] and `Dense_0,bias`; a gate of the GRU has
`gru,iGATE,kernel` for what comes in and `gru,hGATE,kernel` for what was shown before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Literal

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.nets.orbax import Checkpoint
from coplay.player import AgentError

Array = jax.Array
Weights = dict[str, Array]
Activation = Literal["tanh", "relu", "gelu"]
ACTIVATIONS = {"tanh": jnp.tanh, "relu": jax.nn.relu, "gelu": jax.nn.gelu}

RESET, UPDATE, NEW = "rzn"
HEADS = ("final_params", "final_params_conf")  # what JaxAHT's runs call the networks at their end
CRITIC = re.compile(r"Dense_([3-9]|\d\d+),.*")  # of actors with two hidden layers
CELL = re.compile(r"(?:\w+,)*GRUCell_\d+,([ih][rzn],(?:kernel|bias))")


class Feed(eqx.Module):
    """Dense layers; the last is the head."""

    weights: Weights
    layers: int = eqx.field(static=True)
    activation: Activation = eqx.field(static=True, default="relu")

    def start(self) -> tuple[()]:
        return ()

    def __call__(self, memory: tuple[()], x: Array) -> tuple[tuple[()], Array]:
        for layer in range(self.layers - 1):
            x = ACTIVATIONS[self.activation](dense(self.weights, f"Dense_{layer}", x))
        return memory, dense(self.weights, f"Dense_{self.layers - 1}", x)


class Gated(eqx.Module):
    """A dense layer, a GRU, a dense layer and the head."""

    weights: Weights
    activation: Activation = eqx.field(static=True, default="relu")

    def start(self) -> Array:
        return jnp.zeros(self.weights["gru,hr,kernel"].shape[0])

    def __call__(self, memory: Array, x: Array) -> tuple[Array, Array]:
        act = ACTIVATIONS[self.activation]
        x = act(dense(self.weights, "Dense_0", x))
        entering = {gate: dense(self.weights, f"gru,i{gate}", x) for gate in (RESET, UPDATE, NEW)}
        shown = {gate: memory @ self.weights[f"gru,h{gate},kernel"] for gate in (RESET, UPDATE)}
        own = dense(self.weights, f"gru,h{NEW}", memory)
        update = jax.nn.sigmoid(entering[UPDATE] + shown[UPDATE])
        new = jnp.tanh(entering[NEW] + jax.nn.sigmoid(entering[RESET] + shown[RESET]) * own)
        memory = (1 - update) * new + update * memory
        return memory, dense(self.weights, "Dense_2", act(dense(self.weights, "Dense_1", memory)))


def dense(weights: Mapping[str, Array], name: str, x: Array) -> Array:
    return x @ weights[f"{name},kernel"] + weights[f"{name},bias"]


def dense_shapes(inputs: Mapping[str, int], outputs: int) -> dict[str, tuple[int, ...]]:
    """Of layers with so many inputs each."""
    kernels: dict[str, tuple[int, ...]] = {f"{name},kernel": (size, outputs) for name, size in inputs.items()}
    return kernels | {f"{name},bias": (outputs,) for name in inputs}


def in_a_row(sizes: list[int], last: int, first: int = 0) -> dict[str, tuple[int, ...]]:
    """Dense layers one after the other, the last with so many outputs."""
    shapes: dict[str, tuple[int, ...]] = {}
    outputs = [*sizes[1:-1], last]
    for layer, (inputs, wide) in enumerate(zip(sizes[:-1], outputs, strict=True)):
        shapes |= dense_shapes({f"Dense_{first + layer}": inputs}, wide)
    return shapes


def sizes_of(found: Mapping[str, np.ndarray], inputs: int) -> list[int]:
    """How many numbers enter the first dense layer and leave every one."""
    wide = {name: found[name].shape[-1] for name in found if re.fullmatch(r"Dense_\d+,kernel", name)}
    return [inputs, *(wide.get(f"Dense_{layer},kernel", 0) for layer in range(len(wide)))]


def feed(
    label: str, found: Mapping[str, np.ndarray], sizes: list[int], actions: int, what: str, act: Activation = "relu"
) -> Feed:
    """The head is the first layer that is as wide as there are actions; what comes after belongs to the critic."""
    layers = sizes.index(actions, 1) if actions in sizes[1:] else len(sizes) - 1
    return Feed(checked(label, found, in_a_row(sizes[: layers + 1], actions), what), layers, act)


def gated(
    label: str, found: Mapping[str, np.ndarray], sizes: list[int], actions: int, what: str, act: Activation = "relu"
) -> Gated:
    embed, hidden = sizes[1], found["gru,hr,kernel"].shape[0] if "gru,hr,kernel" in found else sizes[1]
    shapes = dense_shapes({f"gru,i{gate}": embed for gate in (RESET, UPDATE, NEW)}, hidden)
    shapes |= {f"gru,h{gate},kernel": (hidden, hidden) for gate in (RESET, UPDATE, NEW)} | {"gru,hn,bias": (hidden,)}
    shapes |= dense_shapes({"Dense_0": sizes[0]}, embed)
    wide = sizes[2] if len(sizes) > 2 else hidden
    shapes |= dense_shapes({"Dense_1": hidden}, wide) | dense_shapes({"Dense_2": wide}, actions)
    return Gated(checked(label, found, shapes, what), act)


def checked(place: str, found: Mapping[str, np.ndarray], shapes: Mapping[str, tuple[int, ...]], what: str) -> Weights:
    """The weights of these shapes, on the device; `what` says which files are read."""
    for name, shape in shapes.items():
        if name not in found or found[name].shape != shape:
            has = found[name].shape if name in found else "nothing"
            raise AgentError(f"{place}: {name} should have shape {shape} and has {has}. {what}")
    kept: dict[str, Any] = {name: jax.device_put(np.asarray(found[name], np.float32)) for name in shapes}
    return kept


def read_run(label: str, place: str, key: str, at: str) -> dict[str, np.ndarray]:
    """The actor of one network in a run of JaxAHT's: `key` says which networks, `at` which of them (`0`, `2:-1`)."""
    checkpoint = Checkpoint(place)
    paths = [name.rpartition(".params.") for name in checkpoint.names]
    groups = sorted({group for group, between, _ in paths if between})
    wanted = key or next((head for head in HEADS if head in groups), "")
    if wanted not in groups:
        asked = f"key={key}: " if key else ""
        raise AgentError(f"{label}: {asked}say which networks, ?key=NAME; it has {', '.join(groups) or 'none'}.")
    names = {f"{wanted}.params.{rest}": rest.replace(".", ",") for group, _, rest in paths if group == wanted}
    if any(short.startswith("s5,") for short in names.values()):
        raise AgentError(f"{label}: {wanted} are S5 networks (state spaces), which are not reproduced here.")
    stacked = {short: checkpoint.array(name) for name, short in names.items() if not CRITIC.fullmatch(short)}
    first = stacked.get("Dense_0,bias")
    if first is None:
        raise AgentError(f"{label}: {wanted} has no layer Dense_0 but {', '.join(sorted(stacked)[:4]) or 'none'}.")
    which = _which(label, at, first.shape[:-1])
    found = {short: one[which] for short, one in stacked.items() if one.shape[: len(which)] == first.shape[:-1]}
    cells = {short: cell[1] for short in found if (cell := CELL.fullmatch(short))}
    return {f"gru,{cells[short]}" if short in cells else short: one for short, one in found.items()}


def _which(label: str, at: str, axes: tuple[int, ...]) -> tuple[int, ...]:
    """The place of one network among those that lie in the same arrays."""
    try:
        which = tuple(int(one) for one in at.split(":")) if at else ()
    except ValueError:
        which = ()
    if len(which) != len(axes) or not all(-size <= one < size for one, size in zip(which, axes, strict=True)):
        many, example = " x ".join(map(str, axes)), ":".join("0" * len(axes))
        said = f"at={at}: " if at else ""
        raise AgentError(f"{label}: {said}it holds {many or 1} networks; say which one, ?at={example}.")
    return which
