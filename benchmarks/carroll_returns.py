"""What the published networks of Carroll et al. reach in our engine: 400 steps, sampled actions.

python benchmarks/carroll_returns.py ../shared/data/overcooked/models [--games 100] [--layout cramped_room]
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

import coplay
from coplay.worlds.overcooked.bots.carroll import load_carroll

LAYOUTS = ("cramped_room", "asymmetric_advantages", "coordination_ring", "forced_coordination", "counter_circuit")
PAIRS = (
    ("ppo_sp", "ppo_sp"),
    ("ppo_bc_test", "bc_train_best_loss"),  # a proxy of other people than those it was trained with
    ("bc_train_best_loss", "ppo_bc_test"),
    ("ppo_bc_test", "bc_test_best_loss"),  # the proxy it was trained with
    ("bc_test_best_loss", "ppo_bc_test"),
    ("ppo_sp", "bc_test_best_loss"),
    ("bc_test_best_loss", "ppo_sp"),
    ("bc_test_best_loss", "bc_test_best_loss"),
)


def returns(models: Path, layout: str, pair: tuple[str, str], games: int, seed: int) -> np.ndarray:
    """float32 [games]: points of one pair."""
    game = coplay.make("overcooked", layout=layout)
    loaded = {kind: load_carroll(models / f"{kind}__{layout}.npz", game) for kind in pair}
    return coplay.play(game, [loaded[kind] for kind in pair], games=games, seed=seed, progress=False).scores


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=Path, help="folder with the networks")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--layout", choices=LAYOUTS, help="one layout only")
    arguments = parser.parse_args()
    layouts = (arguments.layout,) if arguments.layout else LAYOUTS
    print("| seat 0 | seat 1 | " + " | ".join(layouts) + " |")
    print("|---|---|" + "---|" * len(layouts))
    for pair in PAIRS:
        row = []
        for layout in layouts:
            scores = returns(arguments.models, layout, pair, arguments.games, arguments.seed)
            row.append(f"{scores.mean():.1f} ± {scores.std(ddof=1) / len(scores) ** 0.5:.1f}")
        print(f"| {pair[0]} | {pair[1]} | " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
