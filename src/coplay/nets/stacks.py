"""Networks of one shape as one, [networks, ...], and back."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np

from coplay.nets.network import Network


def stacked_networks(networks: Sequence[Network]) -> Network:
    """[networks, ...]; put together on the host, where nothing has to be compiled for every shape."""
    return jax.device_put(jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(list(networks))))


def stacked_copies(network: Network, count: int) -> Network:
    """The same weights so many times."""
    return stacked_networks([network] * count)


def one_network(stacked: Network, number: int) -> Network:
    return jax.tree.map(lambda leaf: leaf[number], stacked)
