"""Several devices: learners are dealt out to them, or the games of each; the compiler adds the sums between them.

Where there are as many learners as devices, or a multiple, every device has learners of its own and nothing is sent.
Else the games are spread and the weights are on all devices. A minibatch takes the same share of every device's games
(`ppo.strata_of`), so each multiplies its own rows only, and what is sent is the gradient.

The devices may be those of several processes (`hosts.py`): each then holds its part only.
"""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from coplay.train.settings import TrainError


def spread(learner: Any, games: int, learners: int = 1) -> Any:
    """Puts a learner (in truth `learners`, stacked) with so many games in all on all devices."""
    count = len(jax.devices())
    if count == 1:
        return learner
    if games % count:
        raise TrainError(
            f"{games} games cannot be spread evenly over {count} devices; choose games as a multiple of them."
        )
    split, copied = _on_all(PartitionSpec("games")), _on_all(PartitionSpec())
    groups = learner.tables.fresh.shape[0]

    def put(leaf: Any, sizes: set[int]) -> Any:
        if not eqx.is_array(leaf):
            return leaf
        cut = leaf.ndim > 0 and leaf.shape[0] in sizes and leaf.shape[0] % count == 0
        return _put(leaf, split if cut else copied)

    own = {learners} if learners % count == 0 else set()
    per_game = jax.tree.map(lambda leaf: put(leaf, {games, groups}), (learner.tables, learner.memories))
    rest = jax.tree.map(lambda leaf: put(leaf, own), learner._replace(tables=(), memories=()))
    return rest._replace(tables=per_game[0], memories=per_game[1])


def everywhere(tree: Any) -> Any:
    """The same arrays on all devices, where they are those of several processes."""
    if jax.process_count() == 1:
        return tree
    copied = _on_all(PartitionSpec())
    return jax.tree.map(lambda leaf: _put(leaf, copied) if eqx.is_array(leaf) else leaf, tree)


def whole(tree: Any) -> Any:
    """Arrays as this process can read them; what lies on devices of others is fetched, so all processes must ask."""
    if jax.process_count() == 1:
        return tree
    arrays, rest = eqx.partition(tree, eqx.is_array)
    copied = jax.jit(_same, out_shardings=_on_all(PartitionSpec()))(arrays)
    return eqx.combine(jax.tree.map(lambda leaf: leaf.addressable_data(0), copied), rest)


def _same(tree: Any) -> Any:
    return tree


def _on_all(spec: PartitionSpec) -> NamedSharding:
    return NamedSharding(Mesh(jax.devices(), ("games",)), spec)


def _put(leaf: jax.Array, sharding: NamedSharding) -> jax.Array:
    """Every process has all of it, and keeps what belongs on its own devices."""
    if jax.process_count() == 1:
        return jax.device_put(leaf, sharding)
    if jax.numpy.issubdtype(leaf.dtype, jax.dtypes.prng_key):
        return jax.random.wrap_key_data(_put(jax.random.key_data(leaf), sharding))
    numbers = np.asarray(leaf)
    return jax.make_array_from_callback(leaf.shape, sharding, lambda part: numbers[part])
