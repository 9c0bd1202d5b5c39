"""Recurrent layers and learners on a GPU: the plain loop against one kernel per step, in one run.

usage: python benchmarks/recurrent.py [--learners] [--seconds 3]

First a layer alone, forwards and backwards, as a learner's update runs it: two learners side by side, in bfloat16, for
several tilings of the kernel, with the largest difference of the gradient from the plain loop's (both in bfloat16; the
plain loop's own distance from float32 stands beside). With --learners whole updates: two learners of `ippo` with a GRU
of 512 and with an LSTM of 512 that hears every turn.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.games import make
from coplay.nets import fused
from coplay.nets.layers import Gru, Lstm
from coplay.nets.policy import reader
from coplay.nets.recur import recur
from coplay.train.learner.loop import computing
from coplay.train.learner.ppo import start, update
from coplay.train.recipe import Context, recipe_named
from coplay.train.run import resolve

LAYERS = {"GRU 512, 64 steps of 2,048 streams": (Gru, 64, 2048), "LSTM 512, 128 steps of 512 streams": (Lstm, 128, 512)}
TILINGS = [(64, 64, 64, 4, 3), (64, 64, 64, 8, 3), (128, 64, 64, 8, 3), (64, 32, 64, 4, 4), (128, 32, 64, 4, 3)]
LEARNERS = {
    "GRU 512, 4,096 games": {"cell": "gru", "games": 4096},
    "GRU 512, 1,024 games": {"cell": "gru", "games": 1024},
    "LSTM 512 that hears every turn, 1,024 games": {"cell": "lstm", "hears": "every", "games": 1024},
    "LSTM 512 that hears every turn, 2,048 games": {"cell": "lstm", "hears": "every", "games": 2048},
    "the same, 4,096 games of 32 turns": {"cell": "lstm", "hears": "every", "games": 4096, "turns": 32},
}


def seconds_of(run: Callable[[], Any], least: float) -> float:
    """Of one call, the best of several rounds."""
    jax.block_until_ready(run())
    best, begun = float("inf"), time.perf_counter()
    while time.perf_counter() - begun < least:
        before = time.perf_counter()
        jax.block_until_ready(run())
        best = min(best, time.perf_counter() - before)
    return best


def layer(shape: tuple[Any, int, int], seconds: float) -> None:
    kind, steps, streams = shape
    keys = jax.random.split(jax.random.key(0), 4)
    cells = jax.vmap(lambda key: kind(key, 512, 512))(jax.random.split(keys[0], 2))
    memory = tuple(jnp.zeros((2, streams, 512)) for _ in jax.eval_shape(lambda k: kind(k, 8, 512), keys[0]).start())
    inputs = jax.random.normal(keys[1], (2, steps, streams, cells.into.weight.shape[-1]))
    fresh = jax.random.bernoulli(keys[2], 0.02, (2, steps, streams))
    seen = jax.random.normal(keys[3], (2, steps, streams, 512))

    def slopes(run: Any, dtype: Any) -> Any:
        def total(cell: Any, inputs: Any, memory: Any, fresh: Any, seen: Any) -> Any:
            return (run(cell, memory, inputs, fresh, dtype)[1].astype(jnp.float32) * seen).sum()

        both = jax.jit(jax.vmap(jax.grad(total, (0, 1))))
        return lambda: both(cells, inputs.astype(dtype), memory, fresh, seen)

    exact = slopes(recur, jnp.float32)()
    plain = slopes(recur, jnp.bfloat16)
    base = seconds_of(plain, seconds)
    print(f"  plain loop                       {base * 1e3:8.2f} ms   off float32 by {distance(plain(), exact):.4f}")
    for tiling in TILINGS:
        try:
            run = slopes(partial(as_kernels, tiling), jnp.bfloat16)
            took, off = seconds_of(run, seconds), distance(run(), exact)
            print(
                f"  rows, units, depth, warps, stages {tiling}: {took * 1e3:6.2f} ms, {base / took:5.2f} x, {off:.4f}"
            )
        except Exception as error:  # a tiling that the card cannot hold
            print(f"  {tiling}: {str(error).splitlines()[0][:120]}")


def as_kernels(
    tiling: tuple[int, int, int, int, int], cell: Any, memory: Any, inputs: Any, fresh: Any, dtype: Any
) -> Any:
    kernel = fused.Kernel(fused.GruGates if isinstance(cell, Gru) else fused.LstmGates, *tiling)
    return fused.recur(kernel, cell.back.weight, cell.back.bias, memory, inputs.astype(dtype), fresh)


def distance(found: Any, exact: Any) -> float:
    """Of all gradients together, relative to their length."""
    pairs = list(zip(jax.tree.leaves(found), jax.tree.leaves(exact), strict=True))
    off = sum(float(jnp.square(a.astype(jnp.float32) - b).sum()) for a, b in pairs)
    return (off / sum(float(jnp.square(b).sum()) for _, b in pairs)) ** 0.5


def learner(given: dict[str, Any], seconds: float) -> float:
    """Turns per second of two learners together."""
    game, module = reader(make("hanabi")), recipe_named("ippo")
    settings = resolve(module, "ippo", game, dict(given))
    plan = module.plan(Context(game, 2, 0, Path(), computing(True)), settings)
    weights, fixed = eqx.partition(start(plan.setup, plan.networks, jax.random.key(0)), eqx.is_array)
    one = jax.jit(lambda now: eqx.filter(update(plan.setup, eqx.combine(now, fixed))[0], eqx.is_array))
    return 2 * plan.setup.turns_per_update / seconds_of(lambda: one(weights), seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--learners", action="store_true")
    parser.add_argument("--seconds", type=float, default=3.0)
    options = parser.parse_args()
    print(jax.devices()[0].device_kind)
    for name, shape in LAYERS.items():
        print(name, flush=True)
        layer(shape, options.seconds)
    for name, given in LEARNERS.items() if options.learners else ():
        found = []
        for wanted in ("0", "1"):
            os.environ["COPLAY_FUSED"] = wanted
            found.append(learner(given, options.seconds))
        print(f"{name}: {found[0] / 1e6:.2f} M turns/s, fused {found[1] / 1e6:.2f} M, {found[1] / found[0]:.2f} x")


if __name__ == "__main__":
    main()
