"""Several devices: the games are spread over them, the weights are on all; the compiler adds the sums between them."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from coplay.train.settings import TrainError


def spread(learner: Any, games: int) -> Any:
    """Puts a learner on all devices: everything per game is split, everything else is copied."""
    devices = jax.devices()
    if len(devices) == 1:
        return learner
    if games % len(devices):
        raise TrainError(
            f"{games} games cannot be spread evenly over {len(devices)} devices; choose games as a multiple of them."
        )
    mesh = Mesh(devices, ("games",))
    split, copied = (NamedSharding(mesh, spec) for spec in (PartitionSpec("games"), PartitionSpec()))
    tables = learner.tables
    placed = jax.tree.map(lambda leaf: _put(leaf, split if _per_game(leaf, games) else copied), tables)
    memories = jax.tree.map(lambda leaf: _put(leaf, split if _per_game(leaf, games) else copied), learner.memories)
    rest = jax.tree.map(lambda leaf: _put(leaf, copied), learner._replace(tables=(), memories=()))
    return rest._replace(tables=placed, memories=memories)


def _per_game(leaf: Any, games: int) -> bool:
    return leaf.ndim > 0 and leaf.shape[0] == games


def _put(leaf: Any, sharding: NamedSharding) -> Any:
    return jax.device_put(leaf, sharding) if eqx.is_array(leaf) else leaf
