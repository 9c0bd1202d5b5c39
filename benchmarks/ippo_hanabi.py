"""Claim: the learner runs at least five times as many game turns per second as JaxMARL's IPPO, with its settings.

Prints turns/s and the time to each training return, from start to end with compilation. `--peer SCRIPT` runs a
JaxMARL-style module (one with `make_train(config)`) in the same process and prints the ratio.

    python benchmarks/ippo_hanabi.py
    python benchmarks/ippo_hanabi.py --learning-rate 5e-4 --constant --peer ippo_ff_hanabi.py

The learning rate is ours (0.002, falling to 0 over the run; JaxMARL: 0.0005 throughout), all else is JaxMARL's.
"""

# ruff: noqa: E402
from __future__ import annotations

import time

BEGUN = time.perf_counter()  # before the slow imports: the time to a return counts them

import argparse
from typing import Any

import jax
from jaxmarl_peer import trained

import coplay
from coplay.nets.network import Design, new_networks
from coplay.nets.policy import observation_scale, reader
from coplay.train.learner.loop import computing, learn
from coplay.train.learner.partners import Partners
from coplay.train.learner.ppo import Setup, start
from coplay.train.learner.rollout import Stage
from coplay.train.settings import PPOSettings

RETURNS = (15, 20, 21, 22, 23)


def ours(settings: PPOSettings, learners: int, cell: str, bundle: int) -> float:
    """Turns per second of all learners together, compilation apart."""
    begun = BEGUN
    print(f"  imported: {time.perf_counter() - begun:.1f} s", flush=True)
    game = reader(coplay.make("hanabi"))
    design = Design(game.observation_shape, game.num_actions, observation_scale(game), cell=cell)  # pyright: ignore[reportArgumentType]
    setup = Setup(Stage(game, Partners(), learners, dtype=computing(True)), (), settings)
    keys = jax.random.split(jax.random.key(0), learners)
    networks = new_networks(keys, design)
    print(f"  networks made: {time.perf_counter() - begun:.1f} s", flush=True)
    learner = jax.jit(lambda: start(setup, networks, jax.random.key(1)))()
    print(f"  games dealt: {time.perf_counter() - begun:.1f} s", flush=True)
    reached: set[int] = set()
    spent, counted, last = 0.0, 0, ""
    for number, report in enumerate(learn(setup, learner, bundle)):
        score = float(report.metrics["score"].mean())
        now = time.perf_counter() - begun
        for goal in RETURNS:
            if score >= goal and goal not in reached:
                reached.add(goal)
                print(f"  return {goal}: {now:6.1f} s, {report.turns:.3g} turns per learner", flush=True)
        if number == 0:
            print(f"  first bundle of {bundle} updates with compilation: {now:.1f} s", flush=True)
        else:
            spent += report.seconds
            counted += bundle * setup.turns_per_update * learners
        last = f"  {report.turns:.3g} turns: return {score:.2f}, {now:.0f} s from the start"
    print(last)
    return counted / max(spent, 1e-9)


# JaxMARL's own settings of ippo_ff_hanabi.py.
PEER: dict[str, Any] = {
    "LR": 5e-4,
    "NUM_ENVS": 1024,
    "NUM_STEPS": 128,
    "FC_DIM_SIZE": 512,
    "UPDATE_EPOCHS": 4,
    "NUM_MINIBATCHES": 4,
    "GAMMA": 0.99,
    "GAE_LAMBDA": 0.95,
    "CLIP_EPS": 0.2,
    "ENT_COEF": 0.01,
    "VF_COEF": 0.5,
    "MAX_GRAD_NORM": 0.5,
    "ACTIVATION": "relu",
    "ANNEAL_LR": False,
    "ENV_NAME": "hanabi",
    "ENV_KWARGS": {},
    "SEED": 0,
    "NUM_SEEDS": 1,
    "FC_DIM": 512,
    "GRU_HIDDEN_DIM": 512,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=float, default=3.9e8, help="turns per learner")
    parser.add_argument("--learners", type=int, default=1)
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--value-weight", type=float, default=PPOSettings.value_weight)
    parser.add_argument("--learning-rate", type=float, default=2e-3)
    parser.add_argument("--constant", action="store_true", help="do not anneal the learning rate to 0")
    parser.add_argument("--cell", default="none", choices=["none", "gru", "lstm"])
    parser.add_argument("--bundle", type=int, default=20, help="updates between two looks at the score")
    parser.add_argument("--peer", help="a JaxMARL-style script to run in the same process")
    parser.add_argument("--peer-turns", type=float, default=3e7)
    given = parser.parse_args()
    print(f"{jax.devices()[0].device_kind}: {given.learners} learner(s), {given.games} games, cell {given.cell}")
    settings = PPOSettings(
        total_turns=given.turns,
        games=given.games,
        value_weight=given.value_weight,
        learning_rate=given.learning_rate,
        anneal=not given.constant,
    )
    mine = ours(settings, given.learners, given.cell, given.bundle)
    print(f"coplay: {mine:.3g} turns/s")
    if given.peer:
        theirs = trained(given.peer, PEER | {"TOTAL_TIMESTEPS": int(given.peer_turns)})
        print(f"peer:   {theirs:.3g} turns/s; ratio {mine / theirs:.1f}")


if __name__ == "__main__":
    main()
