"""What search adds to its blueprint, game by game on the same deals, and what a move of it costs.

    python benchmarks/search.py smartbot --games 1000                  # one seat searches; wants a GPU
    python benchmarks/search.py pool:hanabi-2p-obl-1 --seats all --set worlds=64
    python benchmarks/search.py iggi --game hanabi-very-small --games 20 --set worlds=8 --set guesses=32

`--seats one`: seat 0 searches and its partners play by the blueprint, as it believes. `--seats all`: everybody
searches, though nobody believes it of the others. The time of a move is the wall time of the games that search, less
compilation, over the moves of the seats that search; `--at-once` games share it, so it is a price, not a delay.
"""

from __future__ import annotations

import argparse
import time

import jax
import numpy as np

import coplay


def gain(after: np.ndarray, before: np.ndarray) -> tuple[float, float]:
    """(mean difference, its standard error) of paired games."""
    more = after - before
    return float(more.mean()), float(more.std(ddof=1) / len(more) ** 0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("blueprint")
    parser.add_argument("--game", default="hanabi?players=2")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=256)
    parser.add_argument("--seats", choices=("one", "all"), default="one")
    parser.add_argument("--set", action="append", default=[], help="an option of search: worlds=64")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no more games after so long")
    options = parser.parse_args()
    game = coplay.make(options.game)
    joint = "&" if "?" in options.blueprint else "?"
    searching = f"search:{options.blueprint}{joint}{'&'.join(options.set)}".rstrip("?&")
    count = game.players if options.seats == "all" else 1
    team = [searching] * count + [options.blueprint] * (game.players - count)
    print(f"{options.game}, {' + '.join(team)}, on {jax.devices()[0].device_kind}", flush=True)
    coplay.play(game, team, games=options.at_once, seed=options.seed + 1)  # compiles
    after, before, moves, begun = [], [], 0, time.perf_counter()
    spent = 0.0
    for first in range(0, options.games, options.at_once):
        if time.perf_counter() - begun > options.seconds:
            break
        deals = range(first, min(first + options.at_once, options.games))
        started = time.perf_counter()
        found = coplay.play(game, team, deals=deals, seed=options.seed)
        spent += time.perf_counter() - started
        moves += int(found.lengths.sum()) * count // game.players
        after.append(found.scores)
        before.append(coplay.play(game, [options.blueprint] * game.players, deals=deals, seed=options.seed).scores)
        more, error = gain(np.concatenate(after), np.concatenate(before))
        print(
            f"{len(np.concatenate(after))} games: {np.concatenate(before).mean():.2f} without, "
            f"{np.concatenate(after).mean():.2f} with search: {more:+.2f} ± {error:.2f}; "
            f"{1000 * spent / moves:.1f} ms a move",
            flush=True,
        )


if __name__ == "__main__":
    main()
