"""The networks published with Carroll et al. 2019, "On the Utility of Learning about Humans for Human-AI Coordination".

PPO trained in self-play, PPO trained with a human proxy, population-based training (convolutions over the 20 layers of
the 2019 encoding), and the human proxies themselves: behaviour cloning, a small network over 62 hand-made features. A
network plays the one kitchen it was trained in; files are called KIND__LAYOUT.npz.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game, GameError
from coplay.nets.file import network_of
from coplay.nets.network import LEAK, Design, Network
from coplay.player import AgentError
from coplay.worlds.overcooked import Overcooked, View
from coplay.worlds.overcooked.bots.unstuck import ACTIONS, History, choose, no_history
from coplay.worlds.overcooked.encode import lossless_2019
from coplay.worlds.overcooked.features import SIZE, bc_features
from coplay.worlds.overcooked.kitchen.layouts import find

Array = jax.Array

CONVOLUTIONS = (("conv0", 5, "SAME"), ("conv1", 3, "SAME"), ("conv2", 3, "VALID"))
DENSE = ("d0", "d1", "d2")
LAYERS, FILTERS, HIDDEN = 20, 25, 64


class Convolutions(eqx.Module):
    """Three convolutions and three dense layers over the 2019 encoding."""

    weights: dict[str, Array]

    def __call__(self, view: View) -> Array:
        """float32 [6]: logits"""
        x = lossless_2019(view).astype(jnp.float32)[None]  # [1, x, y, layer]
        for name, _, padding in CONVOLUTIONS:
            order = ("NHWC", "HWIO", "NHWC")
            x = jax.lax.conv_general_dilated(x, self.weights[f"{name}_w"], (1, 1), padding, dimension_numbers=order)
            x = _leaky(x + self.weights[f"{name}_b"])
        x = x.reshape(-1)
        for name in DENSE:
            x = _leaky(x @ self.weights[f"{name}_w"] + self.weights[f"{name}_b"])
        return x @ self.weights["out_w"] + self.weights["out_b"]


class Clone(eqx.Module):
    """Two dense layers over the hand-made features."""

    weights: dict[str, Array]

    def __call__(self, view: View) -> Array:
        """float32 [6]: logits"""
        x = bc_features(view).astype(jnp.float32)
        for layer in (0, 1):
            x = jnp.tanh(x @ self.weights[f"w{layer}"] + self.weights[f"b{layer}"])
        return x @ self.weights["w2"] + self.weights["b2"]


class Carroll(eqx.Module):
    """A published network as a policy."""

    network: Convolutions | Clone
    name: str = eqx.field(static=True)
    greedy: bool = eqx.field(static=True)  # the likeliest action instead of a sampled one
    unstuck: bool = eqx.field(static=True)  # see `bots/unstuck.py`
    hears = "own"

    def start(self) -> History:
        return no_history()

    def act(self, memory: History, view: View, key: Array) -> tuple[History, Array]:
        """Draws an action; a proxy that has not moved for three steps tries something else."""
        return choose(memory, view, self.network(view), self.unstuck, self.greedy, key)

    def as_network(self, game: Game) -> Network:
        """The same network as ours are built, to learn on from; its critic is a new one.

        The rule against getting stuck is no part of a network.
        """
        own = {name: np.asarray(weight) for name, weight in self.network.weights.items()}
        shared: dict[str, Any] = {"actions": ACTIONS, "embed": HIDDEN, "actor": HIDDEN, "critic": HIDDEN}
        tensors: dict[str, np.ndarray] = {}
        if isinstance(self.network, Clone):
            design = Design(inputs=(SIZE,), activation="tanh", **shared)
            dense = {f"w{layer}": f"b{layer}" for layer in range(3)}
        else:
            inputs = (game.kitchen.width, game.kitchen.height, LAYERS)  # pyright: ignore[reportAttributeAccessIssue]
            convolutions = {"encoder": "cnn", "filters": FILTERS, "border": False, "activation": "leaky"}
            design = Design(inputs=inputs, layers=len(DENSE) - 1, **convolutions, **shared)
            dense = {f"{name}_w": f"{name}_b" for name in (*DENSE, "out")}
            for number, (name, _, _) in enumerate(CONVOLUTIONS):
                place = f"encoder.convolutions.{number}.filter"
                tensors[f"{place}.weight"] = own[f"{name}_w"].reshape(-1, FILTERS)
                tensors[f"{place}.bias"] = own[f"{name}_b"]
        places = [*(f"encoder.dense.{number}" for number in range(design.layers)), "trunk", "actor"]
        for place, (weight, bias) in zip(places, dense.items(), strict=True):
            tensors |= {f"{place}.weight": own[weight], f"{place}.bias": own[bias]}
        return network_of(tensors, design, f"carroll:{self.name}")


def load_carroll(path: str | Path, game: Game, *, greedy: bool = False, unstuck: bool | None = None) -> Carroll:
    """The network in a file, ready for `game`.

    Actions are sampled, as in the paper, unless `greedy`. The rule against getting stuck is on for human proxies and
    off for the others, as in the paper, unless `unstuck` says otherwise.
    """
    path = Path(path)
    if not isinstance(game, Overcooked):
        raise AgentError(f"carroll:{path}: these networks play overcooked, not {game.name}.")
    weights = _read(path)
    kind, _, layout = path.stem.partition("__")
    _check_kitchen(path, layout, game)
    clone = "w0" in weights
    expected = _clone_shapes() if clone else _convolution_shapes(game)
    for name, shape in expected.items():
        if name not in weights or weights[name].shape != shape:
            found = f"has shape {weights[name].shape}" if name in weights else "is missing"
            raise AgentError(
                f"carroll:{path}: {name} {found}, but for {game.kitchen.name} it should have shape {shape}; "
                f"this file is not one of the published networks, or not for this layout."
            )
    arrays = {name: jnp.asarray(weights[name], jnp.float32) for name in expected}
    network = Clone(arrays) if clone else Convolutions(arrays)
    return Carroll(network, kind, greedy, clone if unstuck is None else unstuck)


def _read(path: Path) -> dict[str, np.ndarray]:
    if not path.is_file():
        raise AgentError(f"carroll:{path}: there is no such file; give the path of a published network (.npz).")
    try:
        with np.load(path) as data:
            return {name: data[name] for name in data.files}
    except (ValueError, OSError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise AgentError(f"carroll:{path}: this is not an .npz file of arrays ({error}).") from error


def _check_kitchen(path: Path, layout: str, game: Overcooked) -> None:
    if game.players != 2:
        raise AgentError(f"carroll:{path}: these networks play with 2 chefs, but the game has {game.players}.")
    if game.kitchen.places["T"]:
        raise AgentError(f"carroll:{path}: these networks know no tomatoes, which {game.kitchen.name} has.")
    try:
        meant = find(layout).name if layout else game.kitchen.name
    except GameError:
        meant = layout
    if meant != game.kitchen.name:
        raise AgentError(
            f"carroll:{path}: a network for {meant}, but the game's layout is {game.kitchen.name}; "
            f"use the file that ends in __{game.kitchen.name}.npz, or layout={meant!r}."
        )


def _clone_shapes() -> dict[str, tuple[int, ...]]:
    sizes = (SIZE, HIDDEN, HIDDEN, ACTIONS)
    shapes: dict[str, tuple[int, ...]] = {f"w{layer}": sizes[layer : layer + 2] for layer in range(3)}
    return shapes | {f"b{layer}": (sizes[layer + 1],) for layer in range(3)}


def _convolution_shapes(game: Overcooked) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, Any] = {}
    channels = LAYERS
    for name, size, _ in CONVOLUTIONS:
        shapes |= {f"{name}_w": (size, size, channels, FILTERS), f"{name}_b": (FILTERS,)}
        channels = FILTERS
    inputs = (game.kitchen.width - 2) * (game.kitchen.height - 2) * FILTERS
    for name in DENSE:
        shapes |= {f"{name}_w": (inputs, HIDDEN), f"{name}_b": (HIDDEN,)}
        inputs = HIDDEN
    return shapes | {"out_w": (HIDDEN, ACTIONS), "out_b": (ACTIONS,)}


def _leaky(x: Array) -> Array:
    return jax.nn.leaky_relu(x, LEAK)
