"""Runs the learner: compiled in bundles of updates, watched, logged and kept."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from coplay.train.devices.hosts import told
from coplay.train.devices.sharding import whole
from coplay.train.learner.ppo import Learner, Setup, update
from coplay.train.settings import TrainError

Array = jax.Array


class Report(NamedTuple):
    """What a bundle of updates did."""

    learner: Learner
    updates: int  # done so far
    bundle: int  # of these in this bundle
    turns: int  # so far, per learner
    seconds: float  # of this bundle
    metrics: dict[str, np.ndarray]  # float [learners]: means over the bundle


@eqx.filter_jit(donate="all-except-first")
def _bundle(setup: Setup, learner: Learner, size: int, count: Any) -> tuple[Learner, dict[str, Array]]:
    """`count` updates, at most `size`, without coming back to the host; metrics are [size, learners].

    How many is an argument, so that a shorter bundle at the end of a run compiles nothing anew.
    """
    weights, fixed = eqx.partition(learner, eqx.is_array)

    @jax.jit  # only so that it is traced once: here for its shapes, and in the loop
    def one(weights: Any) -> tuple[Any, dict[str, Array]]:
        after, metrics = update(setup, eqx.combine(weights, fixed))
        return eqx.filter(after, eqx.is_array), metrics

    def add(number: Array, now: tuple[Any, dict[str, Array]]) -> tuple[Any, dict[str, Array]]:
        weights, found = now
        weights, metrics = one(weights)
        return weights, jax.tree.map(lambda every, new: every.at[number].set(new), found, metrics)

    shapes = jax.eval_shape(one, weights)[1]
    empty = jax.tree.map(lambda leaf: jnp.zeros((size, *leaf.shape), leaf.dtype), shapes)
    weights, metrics = jax.lax.fori_loop(0, count, add, (weights, empty))
    return eqx.combine(weights, fixed), metrics


def learn(setup: Setup, learner: Learner, bundle: int) -> Iterator[Report]:
    """Updates until the settings' total, `bundle` at a time."""
    done = int(learner.updates)
    size = min(bundle, setup.updates)
    while done < setup.updates:
        begun = time.perf_counter()
        count = min(size, setup.updates - done)
        learner, metrics = _bundle(setup, learner, size, np.asarray(count, np.int32))
        found = {name: np.asarray(value)[:count] for name, value in jax.device_get(whole(metrics)).items()}
        done += count
        _check_finite(found, done)
        yield Report(learner, done, count, done * setup.turns_per_update, time.perf_counter() - begun, _means(found))


def _means(found: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The score is the mean over games, the others over updates."""
    games = np.maximum(found["games"].sum(0), 1)
    means = {name: value.mean(0) for name, value in found.items()}
    means["score"] = (found["score"] * found["games"]).sum(0) / games
    means["games"] = found["games"].sum(0)
    return means


def _check_finite(found: dict[str, np.ndarray], done: int) -> None:
    for name, value in found.items():
        if not np.isfinite(value).all():
            error = TrainError(
                f"{name} became {value[~np.isfinite(value)][0]} before update {done}; training stopped. "
                "What the folder keeps is from before it; train anew with a lower learning_rate or gradient_norm."
            )
            raise told(error)  # every process reads the same numbers


def computing(setup_bfloat16: bool) -> Any:
    """The type networks compute in: bfloat16 pays on a GPU only."""
    return jnp.bfloat16 if setup_bfloat16 and jax.default_backend() == "gpu" else jnp.float32
