"""Records games of JaxMARL's Hanabi: game_2p.npz, game_4p.npz. Runs where JaxMARL's source and flax are, not here:

python record.py PATH_TO_JAXMARL_SRC FOLDER      (PATH holds the folder jaxmarl/, for example the unpacked wheel 0.2.0)
"""

import sys
import types
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

CARDS = np.repeat([(color, rank) for color in range(5) for rank in range(5)], [3, 2, 2, 2, 1] * 5, axis=0)


def jaxmarl_hanabi(source):
    """JaxMARL's class without importing its other environments."""
    for name, path in (("jaxmarl", source / "jaxmarl"), ("jaxmarl.environments", source / "jaxmarl/environments")):
        module = types.ModuleType(name)
        module.__path__ = [str(path)]
        sys.modules[name] = module
    from jaxmarl.environments.hanabi.hanabi import HanabiEnv  # pyright: ignore[reportMissingImports]

    return HanabiEnv


def play(env, deck, seed):
    """One game of random legal moves that seldom plays a card, so that it lasts."""
    chance = np.random.default_rng(seed)
    key = jax.random.key(0)
    seen, state = env.reset_from_deck_of_pairs(jnp.asarray(deck))
    rows = {"observations": [seen], "legal": [], "actions": [], "rewards": [], "dones": []}
    weight = np.where((np.arange(env.num_moves) // env.hand_size) == 1, 0.05, 1.0)
    done = False
    while not done:
        legal = {agent: np.asarray(mask) for agent, mask in env.get_legal_moves(state).items()}
        odds = {agent: mask * weight / (mask * weight).sum() for agent, mask in legal.items()}
        actions = {agent: int(chance.choice(env.num_moves, p=odds[agent])) for agent in env.agents}
        seen, state, reward, dones, _ = env.step_env(key, state, actions)
        done = bool(dones["__all__"])
        for name, value in (("observations", seen), ("legal", legal), ("actions", actions)):
            rows[name].append(value)
        rows["rewards"].append(reward["__all__"])
        rows["dones"].append(done)
    stacked = {
        name: np.stack([np.stack([np.asarray(row[agent]) for agent in env.agents]) for row in rows[name]])
        for name in ("observations", "legal", "actions")
    }
    return {
        "deck": deck.astype(np.int8),
        "observations": stacked["observations"].astype(np.float32),
        "legal": stacked["legal"].astype(bool),
        "actions": stacked["actions"].astype(np.int8),
        "rewards": np.asarray(rows["rewards"], np.float32),
        "dones": np.asarray(rows["dones"], bool),
    }


if __name__ == "__main__":
    kind, folder = jaxmarl_hanabi(Path(sys.argv[1])), Path(sys.argv[2])
    for players, seed in ((2, 5), (4, 6)):
        deck = np.random.default_rng(seed).permutation(CARDS)
        game = play(kind(num_agents=players), deck, seed)
        np.savez_compressed(folder / f"game_{players}p.npz", **game)
        print(players, "players", len(game["dones"]), "turns, score", game["rewards"].sum())
