"""Steps per second of Hanabi: random legal play, auto-reset, every seat's observation written at each step.

    python benchmarks/hanabi_env.py --batch 4096
    python benchmarks/hanabi_env.py --batch 1024 65536 --peer PEER      # and JaxMARL's Hanabi, same run, with the ratio
    python benchmarks/hanabi_env.py --batch 4096 --reference            # and the reference engine's Python binding

A step is one turn of one game. jaxmarl_peer.py says what PEER is; --reference needs the package
hanabi-learning-environment.
"""

from __future__ import annotations

import argparse
import random
import time
from typing import Any

import jax
import jax.numpy as jnp
from timing import Timing, measure

import coplay
from coplay.agents.random import random_legal
from coplay.rollouts.restart import finished, restart

Array = jax.Array


def ours(players: int, batch: int, steps: int) -> Timing:
    """Result: turns really played, and a checksum of the last observations."""
    game: Any = coplay.make("hanabi", players=players)

    def act(state: Any, bits: Array) -> Array:
        legal = jnp.stack([game.legal(game.view(state, seat)) for seat in range(players)]).any(0)
        return jnp.broadcast_to(random_legal(legal, bits), (players,))

    def observe(state: Any) -> tuple[Array, ...]:
        return tuple(game.encode(game.view(state, seat)) for seat in range(players))

    def step(carry: Any, keys: Array) -> tuple[Any, None]:
        states, _, turns = carry
        actions = jax.vmap(act)(states, jax.random.bits(keys[0], (batch,), jnp.uint32))
        turns = turns + (~finished(game, states)).sum()
        states = restart(game, jax.vmap(game.step)(states, actions).state, keys[1])
        return (states, jax.vmap(observe)(states), turns), None

    def run(key: Array) -> tuple[Array, Array]:
        states = jax.vmap(game.reset)(jax.random.split(key, batch))
        begin = (states, jax.vmap(observe)(states), jnp.int32(0))
        (_, observations, turns), _ = jax.lax.scan(step, begin, jax.random.split(key, (steps, 2)))
        return turns, sum(seat.sum(dtype=jnp.uint32) for seat in observations)  # pyright: ignore

    return measure(run, jax.random.key(0))


def jaxmarl(peer: str, players: int, batch: int, steps: int) -> Timing:
    """The same loop over JaxMARL's environment; its `step` resets by itself."""
    from jaxmarl_peer import load

    env = load(peer, "hanabi").Hanabi(num_agents=players)

    def step(carry: Any, key: Array) -> tuple[Any, None]:
        states, _, turns = carry
        act_key, step_key = jax.random.split(key)
        legal = jax.vmap(env.get_legal_moves)(states)
        keys = jax.random.bits(act_key, (batch,), jnp.uint32)
        actions = {agent: jax.vmap(random_legal)(legal[agent].astype(bool), keys) for agent in env.agents}
        observations, states, *_ = jax.vmap(env.step)(jax.random.split(step_key, batch), states, actions)
        return (states, observations, turns + batch), None

    def run(key: Array) -> tuple[Array, Array]:
        observations, states = jax.vmap(env.reset)(jax.random.split(key, batch))
        carry, _ = jax.lax.scan(step, (states, observations, jnp.int32(0)), jax.random.split(key, steps))
        return carry[2], jax.tree.reduce(jnp.add, jax.tree.map(jnp.sum, carry[1]))

    return measure(run, jax.random.key(0))


def reference(players: int, seconds: float = 5.0) -> float:
    """Turns per CPU-second of the reference engine through its Python binding, acting seat encoded."""
    from hanabi_learning_environment import pyhanabi  # pyright: ignore[reportMissingImports]

    game = pyhanabi.HanabiGame({"players": players})
    encoder = pyhanabi.ObservationEncoder(game)
    turns, begun = 0, time.process_time()
    while time.process_time() - begun < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            if state.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
                state.deal_random_card()
                continue
            encoder.encode(state.observation(state.cur_player()))
            state.apply_move(random.choice(state.legal_moves()))
            turns += 1
    return turns / (time.process_time() - begun)


def show(label: str, turns: float, timing: Timing) -> None:
    print(
        f"{label:<10} {turns / timing.seconds:>15,.0f} steps/s {turns / timing.cpu_seconds:>13,.0f} per CPU-second"
        f"   (compiled in {timing.compile_seconds:.1f} s, ran {timing.seconds:.2f} s)",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, nargs="+", default=[4096], help="games at once")
    parser.add_argument("--steps", type=int, default=0, help="steps per game (default: by device and batch)")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--peer", help="folder with the unpacked jaxmarl wheel")
    parser.add_argument("--reference", action="store_true", help="also the reference engine's Python binding")
    options = parser.parse_args()
    on_gpu = jax.default_backend() == "gpu"
    print(f"Hanabi, {options.players} players, random legal play, on {jax.devices()[0].device_kind}")
    for batch in options.batch:
        steps = options.steps or (4000 if on_gpu else max(50, 400_000 // batch))
        peer_steps = options.steps or (500 if on_gpu else max(20, 80_000 // batch))
        print(f"batch {batch}")
        mine = ours(options.players, batch, steps)
        turns = int(mine.result[0])
        show("coplay", turns, mine)
        if options.peer:
            other = jaxmarl(options.peer, options.players, batch, peer_steps)
            its_turns = batch * peer_steps
            show("JaxMARL", its_turns, other)
            wall = (turns / mine.seconds) / (its_turns / other.seconds)
            cpu = (turns / mine.cpu_seconds) / (its_turns / other.cpu_seconds)
            print(
                f"ratio      {wall:.1f}x by wall clock" + ("" if on_gpu else f", {cpu:.1f}x per CPU-second"), flush=True
            )
        if options.reference:
            rate = reference(options.players)
            print(f"reference  {rate:>15,.0f} per CPU-second; ratio {turns / mine.cpu_seconds / rate:.1f}x", flush=True)


if __name__ == "__main__":
    main()
