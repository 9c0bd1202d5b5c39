"""A learner on disk, so that a killed run goes on exactly where it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from coplay.nets.file import fill, named_leaves, read_safetensors, write_safetensors
from coplay.train.settings import TrainError

FORMAT = "coplay-checkpoint-1"


def save_checkpoint(path: Path, learner: Any, about: dict[str, Any]) -> None:
    """Everything that changes while a run goes on; the old checkpoint stays until the new one is whole."""
    tensors = {name: np.asarray(leaf) for name, leaf in named_leaves(_without_keys(learner))}
    write_safetensors(path, tensors, {"format": FORMAT, "about": json.dumps(about)})


def load_checkpoint(path: Path, like: Any) -> tuple[Any, dict[str, Any]]:
    """The learner in the file, in the form of `like`, and what was said about it."""
    tensors, metadata = read_safetensors(path)
    if metadata.get("format") != FORMAT:
        raise TrainError(f"{path} is no checkpoint of a run; give the folder that `coplay train --out` wrote.")
    if hasattr(like, "returns"):
        tensors.setdefault("returns", np.asarray(like.returns))  # earlier versions did not keep it
    plain = fill(jax.eval_shape(_without_keys, like), tensors, path)
    return _with_keys(plain, like), json.loads(metadata["about"])


def _is_key(leaf: Any) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _without_keys(tree: Any) -> Any:
    """Random keys as the integers they are made of: a file knows no keys."""
    return jax.tree.map(lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, tree)


def _with_keys(tree: Any, like: Any) -> Any:
    return jax.tree.map(lambda leaf, old: jax.random.wrap_key_data(leaf) if _is_key(old) else leaf, tree, like)
