"""Steps per second of football: random play, five against five, every seat's observation written each step.

    python benchmarks/football.py --batch 1024
    python benchmarks/football.py --batch 1024 --peer PYTHON     # and the football of VMAS, with the ratio

A step is one joint move of one match. PYTHON is the interpreter of an environment that has VMAS
(`python -m venv PEER && PEER/bin/pip install vmas`, then `--peer PEER/bin/python`): it is GPL, so it runs in a process
of its own and nothing of it is read here. Its football moves ten discs with continuous forces through simulated
contacts, ours ten players by discrete actions: the claim is about how many joint steps a learner gets, not about equal
physics. Both write the observations of all ten.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from typing import Any

import jax
import jax.numpy as jnp
from timing import Timing, measure

import coplay

Array = jax.Array
PEER = """
import json, sys, time
import torch, vmas
batch, steps = map(int, sys.argv[1:])
env = vmas.make_env(scenario="football", num_envs=batch, device="cpu", seed=0, continuous_actions=True,
                    n_blue_agents=5, n_red_agents=5, ai_red_agents=False)
env.reset()
def turn():
    env.step([torch.rand(batch, env.get_agent_action_size(agent)) * 2 - 1 for agent in env.agents])
for _ in range(3):
    turn()
runs = []
for _ in range(3):
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(steps):
        turn()
    runs.append((time.perf_counter() - wall, time.process_time() - cpu))
seconds, cpu = min(runs)
print(json.dumps({"agents": len(env.agents), "wall": batch * steps / seconds, "cpu": batch * steps / cpu}))
"""


def ours(spec: str, batch: int, steps: int) -> Timing:
    """Result: goals and a checksum of the last observations."""
    game: Any = coplay.make(spec)
    seats = jnp.arange(game.players)

    def move(state: Any, draw: Array) -> Array:
        """A run or, with the ball, a kick; whoever stumbled stays."""
        kicks = state.ball.owner == seats
        return jnp.where(state.stun > 0, 0, jnp.where(kicks, 9 + draw % 32, draw % 9)).astype(jnp.int32)

    def advance(state: Any, draw: Array) -> tuple[Any, Array]:
        after = game.step(state, move(state, draw))
        return after.state, after.reward

    def observe(state: Any) -> Array:
        return jax.vmap(lambda seat: game.encode(game.view(state, seat)))(seats)

    def step(carry: Any, draws: Array) -> tuple[Any, None]:
        states, _, goals = carry
        states, reward = jax.vmap(advance)(states, draws)
        return (states, jax.vmap(observe)(states), goals + jnp.abs(reward)), None

    def run(key: Array) -> tuple[Array, Array]:
        states = jax.vmap(game.reset)(jax.random.split(key, batch))
        carry = states, jax.vmap(observe)(states), jnp.zeros(batch)
        draws = jax.random.randint(key, (steps, batch, game.players), 0, 288)
        carry, _ = jax.lax.scan(step, carry, draws)
        return carry[2].sum(), carry[1].sum(dtype=jnp.uint32)

    return measure(run, jax.random.key(0))


def peer(python: str, batch: int, steps: int) -> dict[str, float]:
    done = subprocess.run([python, "-c", PEER, str(batch), str(steps)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"--peer {python}: {done.stderr.strip().splitlines()[-1]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--game", default="football?players=5", help="the match that is played")
    parser.add_argument("--batch", type=int, nargs="+", default=[1024], help="matches at once")
    parser.add_argument("--steps", type=int, default=100, help="steps of a match")
    parser.add_argument("--peer", help="the Python that has VMAS")
    options = parser.parse_args()
    print(f"{options.game}, random play, on {jax.devices()[0].device_kind}")
    for batch in options.batch:
        mine = ours(options.game, batch, options.steps)
        total = batch * options.steps
        wall, cpu = total / mine.seconds, total / mine.cpu_seconds
        print(
            f"batch {batch}: coplay {wall:,.0f} steps/s, {cpu:,.0f} per CPU-second "
            f"(compiled in {mine.compile_seconds:.0f} s)"
        )
        if options.peer:
            other = peer(options.peer, batch, max(10, options.steps // 10))
            print(
                f"batch {batch}: VMAS {other['wall']:,.0f} steps/s, {other['cpu']:,.0f} per CPU-second; "
                f"ratio {wall / other['wall']:.1f}x by wall clock, {cpu / other['cpu']:.1f}x per CPU-second",
                flush=True,
            )


if __name__ == "__main__":
    main()
