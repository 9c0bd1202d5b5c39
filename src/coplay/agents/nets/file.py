"""A trained player in one safetensors file: its weights, and in the metadata how to build it and how it was made."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any, Literal

import equinox as eqx
import jax
import numpy as np

from coplay.agents.agent import AgentError
from coplay.agents.nets.network import Design, Network
from coplay.agents.nets.policy import NetPolicy, reader
from coplay.data.whole_file import write_whole
from coplay.games.game import Game

FORMAT = "coplay-policy-1"
STEP = ".step"  # ends the name of what a column of int8 must be multiplied by
Precision = Literal["float32", "float16", "int8"]


def save_policy(
    path: str | Path,
    network: Network,
    game: Game,
    made: dict[str, Any],
    precision: Precision = "float16",
    critic: bool = True,
) -> None:
    """Writes a player; `made` tells how it came to be. Half precision is plenty for play and halves the file; `int8`
    halves it again (every column of a matrix in 255 steps), and what such a file plays must be measured anew. A critic
    is needed to learn on, not to play: whoever learns from a file without one begins with a new one.
    """
    metadata = {
        "format": FORMAT,
        "game": game.name,
        "players": str(game.players),
        "settings": json.dumps(game_settings(game)),
        "design": json.dumps(dataclasses.asdict(network.design)),
        "made": json.dumps(made),
    }
    tensors: dict[str, np.ndarray] = {}
    for name, leaf in named_leaves(network):
        if precision == "int8" and leaf.ndim == 2:
            tensors[name], tensors[name + STEP] = _in_steps(np.asarray(leaf))
        else:
            tensors[name] = np.asarray(leaf).astype(np.float32 if precision == "float32" else np.float16)
    write_safetensors(path, tensors if critic else without_critic(tensors, network.design), metadata)


def without_critic(tensors: dict[str, np.ndarray], design: Design) -> dict[str, np.ndarray]:
    """What the actor needs; the layer it shares a matrix with is cut off."""
    kept = {name: tensor for name, tensor in tensors.items() if not name.startswith("critic")}
    return {name: _actors_part(name, tensor, design) for name, tensor in kept.items()}


def _actors_part(name: str, tensor: np.ndarray, design: Design) -> np.ndarray:
    return tensor[..., : design.actor] if name.startswith("trunk.") else tensor


def _with_critic(tensors: dict[str, np.ndarray], skeleton: Network, design: Design) -> dict[str, np.ndarray]:
    """A file without a critic gets a new one, always the same."""
    if "critic.weight" in tensors:
        return tensors
    rng = np.random.default_rng(0)
    full = dict(tensors)
    for name, leaf in named_leaves(skeleton):
        cut = name.startswith("trunk.") and tensors[name].shape != leaf.shape
        if name in tensors and not cut:
            continue
        new = np.zeros(leaf.shape, np.float32)
        if leaf.ndim == 2:
            new = rng.normal(0, (2 if cut else 1) / math.sqrt(leaf.shape[0]), leaf.shape).astype(np.float32)
        if cut:
            new[..., : design.actor] = tensors[name]
        full[name] = new
    return full


def _in_steps(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(int8 [inputs, outputs], float32 [outputs]): whole multiples of a step per column."""
    step = np.maximum(np.abs(matrix).max(0), 1e-12) / 127
    return np.round(matrix / step).astype(np.int8), step.astype(np.float32)


def _whole(tensors: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Tensors kept in steps as numbers again."""
    return {
        name: tensor * tensors[name + STEP] if name + STEP in tensors else tensor
        for name, tensor in tensors.items()
        if not name.endswith(STEP)
    }


def load_policy(place: str, game: Game, greedy: bool = True, name: str = "") -> NetPolicy:
    """The player in a file, checked against the game it is to play."""
    tensors, metadata = read_safetensors(place)
    if metadata.get("format") != FORMAT:
        raise AgentError(
            f"{place} is no trained player: its metadata lacks format={FORMAT!r}. `coplay train` writes one."
        )
    family = metadata["game"].split("-")[0]
    if family != game.name.split("-")[0] or int(metadata["players"]) != game.players:
        raise AgentError(
            f"{place} was trained on {metadata['game']} with {metadata['players']} players, "
            f"not on {game.name} with {game.players}; choose a file trained on that game."
        )
    design = Design(**json.loads(metadata["design"]))
    mine = reader(game)
    if design.inputs != tuple(mine.observation_shape) or design.actions != game.num_actions:
        raise AgentError(
            f"{place} reads observations of shape {design.inputs} and knows {design.actions} actions, "
            f"but this game has {tuple(mine.observation_shape)} and {game.num_actions}; "
            f"it was trained with {metadata['settings']}."
        )
    skeleton = eqx.filter_eval_shape(Network, jax.random.key(0), design)
    network = fill(skeleton, _with_critic(_whole(tensors), skeleton, design), place)
    return NetPolicy(network, mine, name or Path(place).stem, greedy)


def game_settings(game: Game) -> dict[str, Any]:
    """The settings that make this game, as JSON holds them."""
    return {field.name: getattr(game, field.name) for field in dataclasses.fields(game)}  # pyright: ignore[reportArgumentType]


def named_leaves(tree: Any) -> list[tuple[str, Any]]:
    """Every array of a tree with a readable name: `encoder.dense.0.weight`."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [(_name(path), leaf) for path, leaf in leaves]


def fill(skeleton: Any, tensors: dict[str, np.ndarray], place: str | Path, prefix: str = "") -> Any:
    """A tree of the skeleton's shapes and dtypes with the file's numbers."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(skeleton)
    filled = []
    for path, leaf in leaves:
        name = prefix + _name(path)
        if name not in tensors:
            raise AgentError(f"{place} lacks the tensor {name}; the file is damaged or from another version.")
        if tensors[name].shape != leaf.shape:
            raise AgentError(f"{place}: tensor {name} has shape {tensors[name].shape}, not {leaf.shape}.")
        # Not jnp.asarray, which compiles a program for every shape.
        filled.append(jax.device_put(tensors[name].astype(leaf.dtype)))
    return jax.tree_util.tree_unflatten(structure, filled)


def read_safetensors(place: str | Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """(tensors, metadata)"""
    from safetensors import SafetensorError, safe_open

    if not Path(place).is_file():
        raise AgentError(f"{place}: no such file. A trained player is written by `coplay train ... --out DIR`.")
    try:
        with safe_open(str(place), framework="numpy") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (the file is no dict)
            return tensors, file.metadata() or {}
    except SafetensorError as error:
        raise AgentError(f"{place} is no safetensors file or is damaged ({error}).") from error


def write_safetensors(path: str | Path, tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Writes the file whole or not at all."""
    from safetensors.numpy import save

    # Not ascontiguousarray, which makes a scalar an array of one.
    ordered = {name: np.asarray(value, order="C") for name, value in tensors.items()}
    write_whole(path, save(ordered, metadata))


def _name(path: tuple[Any, ...]) -> str:
    return ".".join(str(getattr(key, "name", getattr(key, "idx", getattr(key, "key", key)))) for key in path)
