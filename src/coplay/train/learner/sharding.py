"""Several devices: learners are dealt out to them, or the games of each; the compiler adds the sums between them.

Where there are as many learners as devices, or a multiple, every device has learners of its own and nothing is sent.
Else the games are spread and the weights are on all devices. A minibatch takes the same share of every device's games
(`ppo.strata_of`), so each multiplies its own rows only, and what is sent is the gradient.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from coplay.train.settings import TrainError


def spread(learner: Any, games: int, learners: int = 1) -> Any:
    """Puts a learner (in truth `learners`, stacked) with so many games in all on all devices."""
    devices = jax.devices()
    if len(devices) == 1:
        return learner
    if games % len(devices):
        raise TrainError(
            f"{games} games cannot be spread evenly over {len(devices)} devices; choose games as a multiple of them."
        )
    mesh = Mesh(devices, ("games",))
    split, copied = (NamedSharding(mesh, spec) for spec in (PartitionSpec("games"), PartitionSpec()))
    groups = learner.tables.fresh.shape[0]

    def put(leaf: Any, sizes: set[int]) -> Any:
        if not eqx.is_array(leaf):
            return leaf
        cut = leaf.ndim > 0 and leaf.shape[0] in sizes and leaf.shape[0] % len(devices) == 0
        return jax.device_put(leaf, split if cut else copied)

    own = {learners} if learners % len(devices) == 0 else set()
    per_game = jax.tree.map(lambda leaf: put(leaf, {games, groups}), (learner.tables, learner.memories))
    rest = jax.tree.map(lambda leaf: put(leaf, own), learner._replace(tables=(), memories=()))
    return rest._replace(tables=per_game[0], memories=per_game[1])
