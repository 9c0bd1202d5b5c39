"""A trained player in one safetensors file: its weights, and in the metadata how to build it and how it was made."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any, Literal

import jax
import numpy as np

from coplay.files import digest_of, write_whole
from coplay.game import Game
from coplay.games import family, family_of, settings_of, spec_of
from coplay.nets.network import Design, Network, skeleton
from coplay.nets.policy import NetPolicy, reader
from coplay.player import AgentError

FORMAT = "coplay-policy-1"
CRITIC_FORMAT = "coplay-critic-1"
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
    is needed to learn on, not to play: it can lie in a file of its own (`save_critic`), and whoever learns from a
    player without any begins with a new one.
    """
    metadata = {
        "format": FORMAT,
        "game": spec_of(game).partition("?")[0],
        "players": str(game.players),
        "settings": json.dumps(settings_of(game)),
        "spec": spec_of(game),
        "design": json.dumps(dataclasses.asdict(network.design)),
        "made": json.dumps(made),
    }
    tensors = _kept(network, precision)
    write_safetensors(path, tensors if critic else without_critic(tensors, network.design), metadata)


def save_critic(path: str | Path, network: Network, precision: Precision = "float16") -> None:
    """Writes the critic of a player whose file at `path` has none, beside it."""
    tensors = {name: _critics_part(name, tensor, network.design) for name, tensor in _kept(network, precision).items()}
    own = {name: tensor for name, tensor in tensors.items() if _is_critics(name) and tensor.size}
    write_safetensors(critic_file(path), own, {"format": CRITIC_FORMAT, "of": digest_of(Path(path))})


def critic_file(path: str | Path) -> Path:
    """Where the critic of a player's file lies, if it has one of its own."""
    return Path(path).with_suffix(".critic.safetensors")


def _kept(network: Network, precision: Precision) -> dict[str, np.ndarray]:
    """The arrays of a network as a file keeps them."""
    tensors: dict[str, np.ndarray] = {}
    for name, leaf in named_leaves(network):
        if precision == "int8" and leaf.ndim == 2:
            tensors[name], tensors[name + STEP] = _in_steps(np.asarray(leaf))
        else:
            tensors[name] = np.asarray(leaf).astype(np.float32 if precision == "float32" else np.float16)
    return tensors


def without_critic(tensors: dict[str, np.ndarray], design: Design) -> dict[str, np.ndarray]:
    """What the actor needs; the layer it shares a matrix with is cut off."""
    kept = {name: tensor for name, tensor in tensors.items() if not name.startswith("critic")}
    return {name: tensor[..., : design.actor] if _shared(name) else tensor for name, tensor in kept.items()}


def _shared(name: str) -> bool:
    """Does the actor's part of this array come first, and the critic's second?"""
    return name.startswith("trunk.")


def _is_critics(name: str) -> bool:
    return name.startswith("critic") or _shared(name)


def _critics_part(name: str, tensor: np.ndarray, design: Design) -> np.ndarray:
    return tensor[..., design.actor :] if _shared(name) else tensor


def _with_critic(
    tensors: dict[str, np.ndarray], place: str | Path, shapes: Network, design: Design
) -> dict[str, np.ndarray]:
    """A file without a critic gets the one that lies beside it, else a new one, always the same."""
    if "critic.weight" in tensors:
        return tensors
    if critic_file(place).is_file():
        return _joined(tensors, _read_critic(place))
    rng = np.random.default_rng(0)
    full = dict(tensors)
    for name, leaf in named_leaves(shapes):
        cut = _shared(name) and tensors[name].shape != leaf.shape
        if name in tensors and not cut:
            continue
        new = np.zeros(leaf.shape, np.float32)
        if leaf.ndim == 2:
            new = rng.normal(0, (2 if cut else 1) / math.sqrt(leaf.shape[0]), leaf.shape).astype(np.float32)
        if cut:
            new[..., : design.actor] = tensors[name]
        full[name] = new
    return full


def _read_critic(place: str | Path) -> dict[str, np.ndarray]:
    beside = critic_file(place)
    tensors, metadata = read_safetensors(beside)
    if metadata.get("format") != CRITIC_FORMAT or metadata.get("of") != digest_of(Path(place)):
        raise AgentError(
            f"{beside} is no critic of {Path(place).name}: it was written for another file. "
            "Take it away, and whoever learns on begins with a new critic."
        )
    return _whole(tensors)


def _joined(actor: dict[str, np.ndarray], critic: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    both = {name: np.concatenate([actor[name], critic[name]], axis=-1) for name in actor.keys() & critic.keys()}
    return {**actor, **critic, **both}


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


def load_policy(place: str, game: Game, greedy: bool = True, symmetries: int = 1, name: str = "") -> NetPolicy:
    """The player in a file, checked against the game it is to play; it looks through so many symmetries at once."""
    tensors, metadata = read_safetensors(place)
    if metadata.get("format") != FORMAT:
        raise AgentError(
            f"{place} is no trained player: its metadata lacks format={FORMAT!r}. `coplay train` writes one."
        )
    if family_of(metadata["game"]) != family(game) or int(metadata["players"]) != game.players:
        raise AgentError(
            f"{place} was trained on {metadata['game']} with {metadata['players']} players, "
            f"not on {game.name} with {game.players}; choose a file trained on that game."
        )
    design = Design(**json.loads(metadata["design"]))
    mine = reader(game, design.inputs)
    if design.inputs != tuple(mine.observation_shape) or design.actions != game.num_actions:
        raise AgentError(
            f"{place} reads observations of shape {design.inputs} and knows {design.actions} actions, "
            f"but this game has {tuple(mine.observation_shape)} and {game.num_actions}; "
            f"it was trained with {metadata['settings']}."
        )
    network = network_of(_whole(tensors), design, place)
    return NetPolicy(network, mine, name or Path(place).stem, greedy, symmetries=symmetries)


def agent_files(folder: str | Path) -> list[Path]:
    """The players of a training run, seed by seed; what lies beside them (critics, snapshots) is none."""
    numbered = {path.stem.removeprefix("agent-"): path for path in Path(folder).glob("agent-*.safetensors")}
    return [numbered[number] for number in sorted(filter(str.isdigit, numbered), key=int)]


def network_of(tensors: dict[str, np.ndarray], design: Design, place: str | Path) -> Network:
    """The network of this design with these numbers, by name; without a critic it gets one, see `_with_critic`."""
    shapes = skeleton(design)
    return fill(shapes, _with_critic(tensors, place, shapes, design), place)


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
