"""How hard each of a learner's earlier selves is to play with, seen from all of them: COLE's graph (Li et al. 2023).

Selves are the nodes of a graph whose edges weigh what two of them score together. What a coalition is worth is the mean
over its edges, where a member counts as often as a walk along the edges comes by (weighted PageRank). A self's Shapley
value is what it adds to coalitions on average; selves that add least get along with nobody, and are met most.
"""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp

from coplay.train.learner.partners import Partners

Array = jax.Array
DAMPING, STEPS = 0.85, 20  # of the walk
ORDERS = 50  # in which coalitions are built up, by which Shapley values are estimated
LEAST = 0.01  # of the highest value counts as the lowest


def by_graph(partners: Partners, returns: Array, utility: Array, learners: int) -> Partners:
    """With what decisions weigh after these returns [cells] of the learners as they are, and what each one's earlier
    selves score with each other [learners, size, size]. Weights among earlier selves are 1 on average."""
    own = returns.reshape(learners, -1)
    size = utility.shape[1]
    now = own[:, :size]
    edges = jnp.zeros((learners, size + 1, size + 1)).at[:, :size, :size].set(utility)
    edges = edges.at[:, size, :size].set(now).at[:, :size, size].set(now)
    values = jax.vmap(shapley)(jnp.maximum(edges, 0))[:, :size]
    floor = jnp.maximum(LEAST * values.max(1, keepdims=True), 1e-6)
    hard = (1 / jnp.maximum(values, floor)) ** partners.priority
    weights = jnp.ones(own.shape).at[:, :size].set(size * hard / hard.sum(1, keepdims=True))
    return dataclasses.replace(partners, weights=weights.reshape(-1))


def joined(utility: Array, returns: Array, slot: Array) -> Array:
    """What earlier selves score with each other after the learners, as they are, took this place among them."""
    size = utility.shape[1]
    now = returns.reshape(utility.shape[0], -1)[:, :size].at[:, slot].set(0)
    return utility.at[:, slot, :].set(now).at[:, :, slot].set(now)


def shapley(edges: Array) -> Array:
    """float32 [nodes]: what each adds to coalitions on average; edges [nodes, nodes] from 0 up, 0 from each to itself.

    The orders are the same every time, so equal nodes have nearly equal values."""
    nodes = edges.shape[0]
    orders = jax.vmap(lambda key: jax.random.permutation(key, nodes))(jax.random.split(jax.random.key(0), ORDERS))

    def added(order: Array) -> Array:
        members = jnp.arange(nodes)[:, None] >= jnp.argsort(order)[None]  # [sizes - 1, nodes]
        worths = jax.vmap(lambda those: worth(edges, those))(members)
        return jnp.zeros(nodes).at[order].set(jnp.diff(worths, prepend=0))

    return jax.vmap(added)(orders).mean(0)


def worth(edges: Array, members: Array) -> Array:
    """float32 []: the mean over the edges between these nodes (bool), by how often a walk comes by their ends."""
    often = walked(edges, members)
    return often @ edges @ often


def walked(edges: Array, members: Array) -> Array:
    """float32 [nodes]: weighted PageRank among these nodes, 0 for the others."""
    inside = members.astype(edges.dtype)
    even = inside / inside.sum()
    out = edges @ inside

    def step(often: Array, _: None) -> tuple[Array, None]:
        flow = edges.T @ jnp.where(out > 0, often / jnp.where(out > 0, out, 1), 0)
        stuck = jnp.where(out > 0, 0, often).sum()  # a node without edges is left for any
        return inside * ((1 - DAMPING) * even + DAMPING * (flow + stuck * even)), None

    return jax.lax.scan(step, even, None, STEPS)[0]
