"""The policies of ZSC-Eval (Wang et al. 2024), the `actor.pt` files of its runs and its policy pool: `zsc-eval:FILE`.

Convolutions over the 20 layers of the 2019 encoding, three dense layers, for most an own memory (one GRU layer), and
their normalisations. Actions that cannot change anything are masked, as in training; the others are drawn, or the
likeliest is taken with `greedy=true`. A network plays kitchens of the size that it was trained in.

Its settings lie in a pickle of program objects beside it, which is not read: they show in the weights. Those that do
not are the same in all of its published runs (ReLU, stride 1, no pooling).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.nets.torch_file import read_torch
from coplay.player import AgentError
from coplay.worlds.overcooked import Overcooked, View
from coplay.worlds.overcooked.bots.carroll import LAYERS
from coplay.worlds.overcooked.bots.unstuck import ACTIONS
from coplay.worlds.overcooked.encode import lossless_2019
from coplay.worlds.overcooked.mask import useful_actions

Array = jax.Array

CONVOLUTIONS = ("base.cnn.0", "base.cnn.2", "base.cnn.4")
DENSE = (("base.cnn.7", "base.cnn.9"), ("base.cnn.10", "base.cnn.12"), ("base.cnn.13", "base.cnn.15"))
HEAD, EPSILON = "act.action_out.linear", 1e-5
KINDS = ("weight", "bias")
GRU = tuple(f"rnn.rnn.{what}_{way}_l0" for what in KINDS for way in ("ih", "hh"))
CRITIC = re.compile(r"v_out\..*")  # part of some files, and of no decision


class ZscEval(eqx.Module):
    """A published network as a policy."""

    weights: dict[str, Array]
    name: str = eqx.field(static=True)
    padding: int = eqx.field(static=True)  # of the convolutions: 1 keeps the kitchen's size
    recurrent: bool = eqx.field(static=True)
    greedy: bool = eqx.field(static=True)
    hears = "own"

    def start(self) -> Array:
        return jnp.zeros(self.weights[f"{HEAD}.weight"].shape[1] if self.recurrent else 0)

    def act(self, memory: Array, view: View, key: Array) -> tuple[Array, Array]:
        memory, logits = self.logits(memory, lossless_2019(view).astype(jnp.float32))
        logits = jnp.where(useful_actions(view), logits, -jnp.inf)
        chosen = jnp.argmax(logits) if self.greedy else jax.random.categorical(key, logits)
        return memory, chosen.astype(jnp.int32)

    def logits(self, memory: Array, layers: Array) -> tuple[Array, Array]:
        """The memory after the layers of a view [x, y, 20], and float32 [6]"""
        x = layers.transpose(2, 0, 1)[None]  # [1, layer, x, y]
        for name in CONVOLUTIONS:
            order = ("NCHW", "OIHW", "NCHW")
            pad = [(self.padding, self.padding)] * 2
            x = jax.lax.conv_general_dilated(x, self.weights[f"{name}.weight"], (1, 1), pad, dimension_numbers=order)
            x = jax.nn.relu(x + self.weights[f"{name}.bias"][:, None, None])
        x = x.reshape(-1)
        for name, norm in DENSE:
            x = self._normed(norm, jax.nn.relu(self._dense(name, x)))
        if self.recurrent:
            memory = self._remembered(memory, x)
            x = self._normed("rnn.norm", memory)
        return memory, self._dense(HEAD, x)

    def _remembered(self, memory: Array, x: Array) -> Array:
        entering, shown = (
            self.weights[f"rnn.rnn.weight_{way}_l0"] @ what + self.weights[f"rnn.rnn.bias_{way}_l0"]
            for way, what in (("ih", x), ("hh", memory))
        )
        (reset, update, new), (own_reset, own_update, own) = jnp.split(entering, 3), jnp.split(shown, 3)
        update = jax.nn.sigmoid(update + own_update)
        new = jnp.tanh(new + jax.nn.sigmoid(reset + own_reset) * own)
        return (1 - update) * new + update * memory

    def _dense(self, name: str, x: Array) -> Array:
        return self.weights[f"{name}.weight"] @ x + self.weights[f"{name}.bias"]

    def _normed(self, name: str, x: Array) -> Array:
        centred = x - x.mean()
        return (
            centred / jnp.sqrt((centred**2).mean() + EPSILON) * self.weights[f"{name}.weight"]
            + self.weights[f"{name}.bias"]
        )


def load_zsc_eval(place: str, game: Game, *, greedy: bool = False) -> ZscEval:
    """The network in a file, ready for `game`."""
    label = f"zsc-eval:{place}"
    if not isinstance(game, Overcooked):
        raise AgentError(f"{label}: these networks play overcooked, not {game.name}.")
    if game.players != 2:
        raise AgentError(f"{label}: these networks play with 2 chefs, but the game has {game.players}.")
    if game.kitchen.places["T"]:
        raise AgentError(f"{label}: the 20 layers that these networks read know no tomatoes; {game.kitchen.name} has.")
    found = {name: one for name, one in read_torch(place).items() if not CRITIC.fullmatch(name)}
    recurrent = any(name in found for name in GRU)
    padding = _padding(label, found, game)
    shapes = _shapes(found, recurrent)
    foreign = sorted(set(found) - set(shapes))
    if foreign:
        raise AgentError(f"{label}: it has a part {foreign[0]} that is unknown here, so it cannot be played exactly.")
    for name, shape in shapes.items():
        if name not in found or found[name].shape != shape:
            has = f"has shape {found[name].shape}" if name in found else "is missing"
            raise AgentError(f"{label}: {name} {has}; it should have shape {shape}. Give the actor.pt of a run.")
    weights: dict[str, Any] = {name: jnp.asarray(found[name], jnp.float32) for name in shapes}
    return ZscEval(weights, Path(place).stem, padding, recurrent, greedy)


def _padding(label: str, found: Mapping[str, np.ndarray], game: Overcooked) -> int:
    """How much the convolutions pad: what the first dense layer reads says it."""
    kernels = [found.get(f"{name}.weight") for name in CONVOLUTIONS]
    first = found.get(f"{DENSE[0][0]}.weight")
    if first is None or first.ndim != 2 or any(one is None or one.ndim != 4 for one in kernels):
        known = ", ".join(sorted(found)[:4])
        raise AgentError(
            f"{label}: it has no three convolutions but {known} ... Give the actor.pt of an Overcooked run."
        )
    layers = kernels[0].shape[1]  # pyright: ignore[reportOptionalMemberAccess]
    if layers != LAYERS:
        raise AgentError(
            f"{label}: it reads {layers} layers. Only networks of the old version are read, which have {LAYERS}; "
            "the others see orders, tomatoes, the time or who they are, which is encoded otherwise here."
        )
    shrink = sum(one.shape[2] - 1 for one in kernels)  # pyright: ignore[reportOptionalMemberAccess]
    filters, size = kernels[-1].shape[0], (game.kitchen.width, game.kitchen.height)  # pyright: ignore
    for padding in (1, 0):
        left = [length - shrink + 2 * padding * len(kernels) for length in size]
        if min(left) > 0 and filters * left[0] * left[1] == first.shape[1]:
            return padding
    raise AgentError(
        f"{label}: it was trained in a kitchen of another size than {game.kitchen.name} with its {size[0]} x {size[1]} "
        "cells; give the game the layout that it was trained in."
    )


def _shapes(found: Mapping[str, np.ndarray], recurrent: bool) -> dict[str, tuple[int, ...]]:
    """What such a file holds; the sizes of convolutions and of the first dense layer are the file's own."""
    shapes: dict[str, tuple[int, ...]] = {}
    channels = LAYERS
    for name in CONVOLUTIONS:
        filters, _, *window = found[f"{name}.weight"].shape
        shapes |= {f"{name}.weight": (filters, channels, *window), f"{name}.bias": (filters,)}
        channels = filters
    hidden, inputs = found[f"{DENSE[0][0]}.weight"].shape
    for name, norm in DENSE:
        shapes |= {f"{name}.weight": (hidden, inputs), f"{name}.bias": (hidden,)}
        shapes |= {f"{norm}.{kind}": (hidden,) for kind in KINDS}
        inputs = hidden
    if recurrent:
        shapes |= {name: (3 * hidden, hidden) if "weight" in name else (3 * hidden,) for name in GRU}
        shapes |= {f"rnn.norm.{kind}": (hidden,) for kind in KINDS}
    return shapes | {f"{HEAD}.weight": (ACTIONS, hidden), f"{HEAD}.bias": (ACTIONS,)}
