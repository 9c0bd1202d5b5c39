"""Turns per second of learners in a kitchen: alone, in pairs with tastes, and against a stack of partners: their own
earlier selves, a population, or two hundred drawn Theory-of-Mind agents (`drawn`).

    python benchmarks/kitchens.py                                # all of them
    python benchmarks/kitchens.py --only fcp --set stretch=0     # with other settings
    python benchmarks/kitchens.py --layout counter_circuit --seconds 10
    python benchmarks/kitchens.py --only ippo --peer ippo_cnn_overcooked.py --peer-seeds 1 8

A turn is one joint move of one kitchen; turns of all learners count (members × turns). Compilation is left out, and the
time is that of the quickest of several updates. Partners and networks are fresh ones: how good they are costs nothing.
Recurrent learners are run with the kernels of `coplay.nets.fused` and without (COPLAY_FUSED).

`--peer` runs JaxMARL's script for the same layout in the same process, with its own settings, and prints the ratios
(`jaxmarl_peer.py`). Claim: a population is learned at least 25 times as fast.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import os
import time
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
from jaxmarl_peer import trained

from coplay.games import make
from coplay.nets.policy import NetPolicy, reader
from coplay.nets.stacks import one_network
from coplay.train.learner.loop import computing
from coplay.train.learner.partners import Partners, shared_by
from coplay.train.learner.ppo import start, update
from coplay.train.recipe import Context, Plan, learner_plan, new_networks, recipe_named
from coplay.train.run import resolve

# The networks of Knott et al.: three convolutions of 25 filters, layers of 64, a memory.
PAPER: dict[str, Any] = {"encoder": "cnn", "filters": 25, "layers": 2, "cell": "gru"}
PAPER |= dict.fromkeys(("embed", "hidden", "actor", "critic"), 64)
# name -> (recipe, learners, settings)
RUNS: dict[str, tuple[str, int, dict[str, Any]]] = {
    "ippo": ("ippo", 8, {}),
    "preferring": ("preferring", 1, {"pairs": 64}),
    "fcp": ("fcp", 5, {}),
    "cole": ("cole", 5, {}),
    "drawn": ("best_response", 1, {**PAPER, "games": 1600, "partner": "theory-of-mind?params=random-{0..199}"}),
}


def plan_of(recipe: str, game: Any, learners: int, given: dict[str, Any]) -> Plan:
    module = recipe_named(recipe)
    settings = resolve(module, recipe, game, given)
    context = Context(game, learners, 0, Path(), computing(True))
    if recipe != "fcp":
        return module.plan(context, settings)
    plain = new_networks(context._replace(seeds=settings.size), dataclasses.replace(settings, cell="none"))
    partners = [
        NetPolicy(one_network(plain, number), game, "partner", greedy=False, dtype=context.dtype)
        for number in range(settings.size)
    ]
    return learner_plan(context, settings, Partners(shared_by(partners, 2, settings.games, learners)))


# JaxMARL's own settings of ippo_cnn_overcooked.py, and what it calls layouts.
PEER: dict[str, Any] = {
    "LR": 6e-4,
    "NUM_ENVS": 32,
    "NUM_STEPS": 128,
    "UPDATE_EPOCHS": 4,
    "NUM_MINIBATCHES": 4,
    "GAMMA": 0.99,
    "GAE_LAMBDA": 0.98,
    "CLIP_EPS": 0.05,
    "ENT_COEF": 0.1,
    "VF_COEF": 0.5,
    "MAX_GRAD_NORM": 0.1,
    "SEED": 30,
    "ACTIVATION": "relu",
    "ENV_NAME": "overcooked",
    "REW_SHAPING_HORIZON": 2.5e6,
    "ANNEAL_LR": True,
    "NUM_SEEDS": 1,
}
LAYOUTS = {
    "cramped_room": "cramped_room",
    "asymmetric_advantages": "asymm_advantages",
    "coordination_ring": "coord_ring",
    "forced_coordination": "forced_coord",
    "counter_circuit": "counter_circuit",
}


def against(peer: str, layout: str, given: dict[str, Any], seeds: list[int], ours: dict[str, float]) -> None:
    """Prints what JaxMARL's script makes of the same layout, so many seeds side by side, and how much faster we are."""
    kitchens = importlib.import_module("jaxmarl.environments.overcooked").overcooked_layouts
    for count in seeds:
        config = {**PEER, **given, "ENV_KWARGS": {"layout": kitchens[LAYOUTS[layout]]}}
        theirs = trained(peer, config, count)
        ratios = ", ".join(f"{name} {speed / theirs:.1f} times" for name, speed in ours.items())
        print(f"peer, {count} learner{'s' * (count > 1)}: {theirs / 1e6:.3f} M turns/s; {ratios}", flush=True)


def turns_per_second(plan: Plan, seconds: float) -> float:
    """Of all learners together."""
    learner = eqx.filter_jit(start)(plan.setup, plan.networks, jax.random.key(0), plan.cast)
    weights, fixed = eqx.partition(learner, eqx.is_array)
    one = jax.jit(
        lambda now: eqx.filter(update(plan.setup, eqx.combine(now, fixed))[0], eqx.is_array), donate_argnums=0
    )
    weights = jax.block_until_ready(one(weights))
    best, begun = float("inf"), time.perf_counter()
    while time.perf_counter() - begun < seconds:
        before = time.perf_counter()
        weights = jax.block_until_ready(one(weights))
        best = min(best, time.perf_counter() - before)
    return plan.setup.stage.learners * plan.setup.turns_per_update / best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--layout", default="coordination_ring")
    parser.add_argument("--only", action="append", choices=RUNS)
    parser.add_argument("--set", action="append", default=[], help="a setting of the learner: name=value")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--peer", help="JaxMARL's training script for kitchens, to run in the same process")
    parser.add_argument("--peer-set", action="append", default=[], help="a setting of its script: NAME=value")
    parser.add_argument("--peer-turns", type=float, default=1e6, help="turns for which each of its learners learns")
    parser.add_argument(
        "--peer-seeds", type=int, nargs="+", default=[1, 8], help="so many of its learners side by side"
    )
    options = parser.parse_args()
    if options.peer and options.layout not in LAYOUTS:
        parser.error(f"JaxMARL has no {options.layout}; choose one of {', '.join(LAYOUTS)}.")
    print(f"{jax.devices()[0].device_kind}, {options.layout}")
    given = dict(pair.split("=", 1) for pair in options.set)
    speeds: dict[str, float] = {}
    for name in options.only or RUNS:
        recipe, learners, usual = RUNS[name]
        for fused in ("0", "") if name in ("fcp", "cole", "drawn") else ("",):
            os.environ["COPLAY_FUSED"] = fused
            read = reader(make("overcooked", layout=options.layout), picture=usual.get("encoder") == "cnn")
            plan = plan_of(recipe, read, learners, {**usual, **given})
            begun = time.perf_counter()
            speed = speeds[name] = turns_per_second(plan, options.seconds)
            took = time.perf_counter() - begun - options.seconds
            kernels = ", plain loop" if fused else ""
            print(
                f"{name}, {plan.setup.stage.learners} learners{kernels}: {speed / 1e6:.2f} M turns/s "
                f"(compiled in {took:.0f} s)",
                flush=True,
            )
    if options.peer:
        changed = {key: type(PEER[key])(value) for key, value in (pair.split("=", 1) for pair in options.peer_set)}
        theirs = {"TOTAL_TIMESTEPS": int(options.peer_turns), **changed}
        against(options.peer, options.layout, theirs, options.peer_seeds, speeds)


if __name__ == "__main__":
    main()
