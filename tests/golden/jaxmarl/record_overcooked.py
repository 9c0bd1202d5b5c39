"""Records play in JaxMARL's Overcooked on each of its layouts: overcooked.npz. Needs the unpacked wheel 0.2.0 and the
networks published with Carroll et al., which choose the actions, so that soups are cooked and served:

python record_overcooked.py PATH_TO_JAXMARL_SRC MODELS FOLDER      (PATH holds the folder jaxmarl/)
"""

import sys
import types
import warnings
from pathlib import Path

import jax
import numpy as np

import coplay
from coplay.adapters.jaxmarl_overcooked import NAMES, Overcooked
from coplay.worlds.overcooked.bots.carroll import load_carroll

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
from jaxmarl_peer import load  # pyright: ignore[reportMissingImports]

STEPS, HORIZON = 140, 110


def frozen_dict():
    """Of flax the environment also uses FrozenDict, for its layouts; a dict does where flax is not installed."""
    core, frozen = types.ModuleType("flax.core"), types.ModuleType("flax.core.frozen_dict")
    frozen.FrozenDict = dict  # pyright: ignore[reportAttributeAccessIssue]
    sys.modules.setdefault("flax.core", core)
    sys.modules.setdefault("flax.core.frozen_dict", frozen)


def play(env, ours, policy, seed):
    """Both engines side by side; episodes are cut at HORIZON, so that the record holds a restart."""
    key = jax.random.key(seed)
    key, first = jax.random.split(key)
    seen, state = env.reset(first)
    _, twin = ours.reset(first)
    step = jax.jit(env.step)
    act = jax.jit(lambda twin, seat, key: policy.act(policy.start(), ours.game.view(twin, seat), key)[1])
    rows = {"observations": [seen], "actions": [], "rewards": [], "shaped": [], "dones": []}
    for _ in range(STEPS):
        key, turn, *keys = jax.random.split(key, 4)
        joint = [int(act(twin, seat, keys[seat])) for seat in range(2)]
        actions = dict(zip(env.agents, joint, strict=True))
        seen, state, rewards, dones, infos = step(turn, state, actions)
        _, twin, *_ = ours.step(turn, twin, actions)
        rows["observations"].append(seen)
        rows["actions"].append(joint)
        rows["rewards"].append(rewards["agent_0"])
        rows["shaped"].append([infos["shaped_reward"][agent] for agent in env.agents])
        rows["dones"].append(dones["__all__"])
    observations = np.stack([[np.asarray(row[agent]) for agent in env.agents] for row in rows.pop("observations")])
    return {"observations": observations.astype(np.uint8)} | {name: np.asarray(row) for name, row in rows.items()}


if __name__ == "__main__":
    frozen_dict()
    warnings.simplefilter("ignore")
    module = load(sys.argv[1], "overcooked.overcooked")
    recorded = {}
    for seed, (name, layout) in enumerate(module.layouts.items()):
        kitchen = coplay.make("overcooked", layout=NAMES[name][0])
        policy = load_carroll(Path(sys.argv[2]) / f"ppo_sp__{NAMES[name][0]}.npz", kitchen)
        theirs, ours = module.Overcooked(layout=layout, max_steps=HORIZON), Overcooked(name, max_steps=HORIZON)
        for field, values in play(theirs, ours, policy, seed).items():
            recorded[f"{name}/{field}"] = values
        print(name, recorded[f"{name}/shaped"].sum(), recorded[f"{name}/rewards"].sum())
    np.savez_compressed(Path(sys.argv[3]) / "overcooked.npz", **recorded)
