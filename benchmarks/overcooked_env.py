"""Steps per second of the Overcooked environment: random play, auto-reset, every seat's observation written each step.

    python benchmarks/overcooked_env.py --batch 4096
    python benchmarks/overcooked_env.py --batch 1024 65536 --peer PEER      # and JaxMARL's Overcooked, with the ratio
    python benchmarks/overcooked_env.py --batch 4096 --oai                  # and Overcooked-AI's Python engine

A step is one joint action of one kitchen. Actions are drawn before the loop, the same way for all. The loop carries the
observations, so each step's are really written. See jaxmarl_peer.py for PEER; --oai needs `pip install overcooked-ai`.
"""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
import time
import types
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
from timing import Timing, measure

import coplay

Array = jax.Array


def random_play(key: Array, steps: int, batch: int, players: int) -> Array:
    """uint8 [steps, players, batch]"""
    return jax.random.randint(key, (steps, players, batch), 0, 6, jnp.uint8)


def ours(layout: str, batch: int, steps: int) -> Timing:
    """Result: points made and a checksum of the last observations."""
    game: Any = coplay.make("overcooked", layout=layout)
    fresh = game.reset(jax.random.key(0))

    def observe(state: Any) -> Array:
        return jax.vmap(lambda seat: game.encode(game.view(state, seat)))(jnp.arange(game.players))

    def advance(state: Any, actions: Array) -> tuple[Any, Array]:
        after = game.step(state, actions)
        return jax.tree.map(lambda new, old: jnp.where(after.done, new, old), fresh, after.state), after.reward

    def step(carry: Any, actions: Array) -> tuple[Any, None]:
        states, _, points = carry
        states, reward = jax.vmap(advance, in_axes=(0, 1))(states, actions)
        return (states, jax.vmap(observe)(states), points + reward), None

    def run(key: Array) -> tuple[Array, Array]:
        states = jax.vmap(game.reset)(jax.random.split(key, batch))
        carry = states, jax.vmap(observe)(states), jnp.zeros(batch)
        carry, _ = jax.lax.scan(step, carry, random_play(key, steps, batch, game.players))
        return carry[2].sum(), carry[1].sum(dtype=jnp.uint32)

    return measure(run, jax.random.key(0))


@cache
def jaxmarl_environment(peer: str) -> Any:
    """JaxMARL's cramped room."""
    from jaxmarl_peer import load

    if importlib.util.find_spec("flax") is None:  # its layouts are frozen dicts; a plain one does
        frozen = types.ModuleType("flax.core.frozen_dict")
        frozen.FrozenDict = dict  # pyright: ignore[reportAttributeAccessIssue]
        sys.modules.update({"flax.core": types.ModuleType("flax.core"), "flax.core.frozen_dict": frozen})
    return load(peer, "overcooked").Overcooked()


def jaxmarl(peer: str, batch: int, steps: int) -> Timing:
    """The same loop over JaxMARL's environment; its `step` takes keys and resets by itself."""
    env = jaxmarl_environment(peer)

    def step(carry: Any, this: tuple[Array, Array]) -> tuple[Any, None]:
        states, _, points = carry
        key, actions = this
        named = dict(zip(env.agents, actions, strict=True))
        observations, states, rewards, _, _ = jax.vmap(env.step)(jax.random.split(key, batch), states, named)
        return (states, observations, points + rewards[env.agents[0]]), None

    def run(key: Array) -> tuple[Array, Array]:
        observations, states = jax.vmap(env.reset)(jax.random.split(key, batch))
        carry = states, observations, jnp.zeros(batch)
        inputs = jax.random.split(key, steps), random_play(key, steps, batch, len(env.agents))
        carry, _ = jax.lax.scan(step, carry, inputs)
        return carry[2].sum(), jnp.stack(list(carry[1].values())).sum(dtype=jnp.uint32)

    return measure(run, jax.random.key(0))


def overcooked_ai(seconds: float = 5.0) -> float:
    """Joint steps per CPU-second of Overcooked-AI's cramped room, both lossless encodings."""
    from overcooked_ai_py.mdp.actions import Action  # pyright: ignore[reportMissingImports]
    from overcooked_ai_py.mdp.overcooked_mdp import OvercookedGridworld  # pyright: ignore[reportMissingImports]

    kitchen = OvercookedGridworld.from_layout_name("cramped_room", old_dynamics=True)
    steps, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        state = kitchen.get_standard_start_state()
        for _ in range(400):
            state, _ = kitchen.get_state_transition(state, [random.choice(Action.ALL_ACTIONS) for _ in range(2)])
            kitchen.lossless_state_encoding(state)
            steps += 1
    return steps / (time.process_time() - begun)


def show(label: str, steps: int, timing: Timing) -> None:
    print(
        f"{label:<13} {steps / timing.seconds:>13,.0f} steps/s {steps / timing.cpu_seconds:>13,.0f} per CPU-second"
        f"   (compiled in {timing.compile_seconds:.1f} s, ran {timing.seconds:.2f} s)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="+", default=[4096], help="kitchens at once")
    parser.add_argument("--steps", type=int, default=0, help="steps per kitchen (default: by device and batch)")
    parser.add_argument("--layout", default="cramped_room", help="our kitchen; the peers always play the cramped room")
    parser.add_argument("--peer", help="folder with the unpacked jaxmarl wheel")
    parser.add_argument("--oai", action="store_true", help="also Overcooked-AI's Python engine")
    options = parser.parse_args()
    on_gpu = jax.default_backend() == "gpu"
    print(f"Overcooked, {options.layout}, random play, on {jax.devices()[0].device_kind}")
    for batch in options.batch:
        steps = options.steps or (4000 if on_gpu else max(50, 1_000_000 // batch))
        peer_steps = options.steps or (1000 if on_gpu else max(20, 200_000 // batch))
        print(f"batch {batch}")
        mine = ours(options.layout, batch, steps)
        show("coplay", batch * steps, mine)
        if options.peer:
            other = jaxmarl(options.peer, batch, peer_steps)
            show("JaxMARL", batch * peer_steps, other)
            wall = (steps / mine.seconds) / (peer_steps / other.seconds)
            cpu = (steps / mine.cpu_seconds) / (peer_steps / other.cpu_seconds)
            per_cpu = "" if on_gpu else f", {cpu:.1f}x per CPU-second"
            print(f"ratio         {wall:.1f}x by wall clock{per_cpu}", flush=True)
        if options.oai:
            rate = overcooked_ai()
            ratio = batch * steps / mine.cpu_seconds / rate
            print(f"Overcooked-AI {rate:>13,.0f} per CPU-second; ratio {ratio:,.0f}x", flush=True)


if __name__ == "__main__":
    main()
