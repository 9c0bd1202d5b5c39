"""What the readers of published networks share: files, layers by name, and an LSTM with its gates apart.

Weights are kept as JaxMARL names them: `NAME,kernel` [inputs, outputs] and `NAME,bias`; a gate of an LSTM's layer n has
`lstm,lN,iGATE,kernel` for what comes in and `lstm,lN,hGATE` for what was shown before.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np

from coplay.nets.actors import dense
from coplay.nets.torch_file import read_torch

Array = jax.Array
Memory = tuple[tuple[Array, Array], ...]  # per layer (cell, shown)

GATES = ("i", "f", "g", "o")
LSTM = re.compile(r"lstm\.(weight|bias)_(i|h)h_(l\d+)")


def blank(weights: Mapping[str, Array], layers: int) -> Memory:
    """The memory before the first turn."""
    nothing = jnp.zeros(weights["lstm,l0,hi,kernel"].shape[0] if layers else 0)
    return ((nothing, nothing),) * layers


def lstm(weights: Mapping[str, Array], memory: Memory, x: Array) -> tuple[Memory, Array]:
    """The memory after x, and what its last layer shows."""
    after = []
    for layer, (cell, shown) in enumerate(memory):
        enter, forget, new, show = (
            x @ weights[f"lstm,l{layer},i{gate},kernel"] + dense(weights, f"lstm,l{layer},h{gate}", shown)
            for gate in GATES
        )
        cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(new)
        x = shown = jax.nn.sigmoid(show) * jnp.tanh(cell)
        after.append((cell, shown))
    return tuple(after), x


def lstm_shapes(layers: int, hidden: int, inputs: int | None = None) -> dict[str, tuple[int, ...]]:
    """`inputs`: how wide is what enters the first layer; as wide as the layers unless it says otherwise."""
    found: dict[str, tuple[int, ...]] = {}
    for layer, gate in [(layer, gate) for layer in range(layers) for gate in GATES]:
        entering = hidden if layer or inputs is None else inputs
        found |= {f"lstm,l{layer},i{gate},kernel": (entering, hidden)}
        found |= {f"lstm,l{layer},h{gate},kernel": (hidden, hidden), f"lstm,l{layer},h{gate},bias": (hidden,)}
    return found


def from_torch(place: str) -> dict[str, np.ndarray]:
    """The weights in a file of PyTorch. A whole agent's file has its network under `online_net`."""
    found = read_torch(place)
    online = {name.removeprefix("online_net."): one for name, one in found.items() if name.startswith("online_net.")}
    weights: dict[str, np.ndarray] = {}
    for name, tensor in (online or found).items():
        layer, _, kind = name.rpartition(".")
        gates = LSTM.fullmatch(name)
        if gates is not None:
            weights |= _gates(gates[1], gates[2], gates[3], tensor)
        elif kind == "weight":
            weights[f"{layer},kernel"] = tensor.T
        else:
            weights[f"{layer},{kind}"] = tensor
    return _one_bias(weights)


def _gates(what: str, way: str, layer: str, tensor: np.ndarray) -> dict[str, np.ndarray]:
    """A tensor of an LSTM, in which the gates lie below each other."""
    if len(tensor) % len(GATES):
        return {}  # and is missed as such
    ends = "kernel" if what == "weight" else "bias"
    parts = zip(GATES, np.split(tensor, len(GATES)), strict=True)
    return {f"lstm,{layer},{way}{gate},{ends}": part.T for gate, part in parts}


def _one_bias(weights: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """PyTorch adds a bias to what comes in, too; here there is one per gate."""
    ours = dict(weights)
    for name in weights:
        parts = name.split(",")
        if parts[0] == "lstm" and parts[-1] == "bias" and parts[2].startswith("i"):
            shown = f"lstm,{parts[1]},h{parts[2][1:]},bias"
            if shown in ours and ours[shown].shape == weights[name].shape:
                ours[shown] = ours[shown] + ours.pop(name)
    return ours
