"""What `make demo` shows: strangers at the table, who plays well with whom, and one game to look at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from rich.console import Console

from coplay.games import make
from coplay.measure.crossplay import CrossPlay, crossplay
from coplay.report.matrix import print_matrix, save_heat_map
from coplay.rollouts.play import play
from coplay.worlds.hanabi.people.draw import state_svg
from coplay.worlds.hanabi.people.terminal import table_terminal
from coplay.worlds.hanabi.recordings.hanablive import to_link

AGENTS = ("iggi", "simplebot", "valuebot", "smartbot")
FOLDER = Path("runs/demo")


def run(games: int, seed: int) -> None:
    """Plays every pair of scripted agents, then shows a game of the best."""
    console = Console()
    console.print("[bold]coplay[/bold]: how well does an agent play with partners it has never met?\n")
    game: Any = make("hanabi", players=2)
    console.print(
        f"Two-player Hanabi, {len(AGENTS)} scripted agents, every pair, {games} games each on the same deals."
        " Compiling takes most of the first minute ..."
    )
    result = crossplay(game, AGENTS, games, seed)
    console.print()
    print_matrix(result)
    _explain(console, result)
    FOLDER.mkdir(parents=True, exist_ok=True)
    save_heat_map(result, FOLDER / "crossplay.svg")
    _show_game(console, game, seed)
    console.print(f"\nPictures: {FOLDER}/crossplay.svg and {FOLDER}/table.svg.")
    console.print("Play yourself: [bold].venv/bin/coplay play hanabi[/bold]")


def _explain(console: Console, result: CrossPlay) -> None:
    mean = result.mean.copy()
    best = int(np.argmax(np.diag(mean)))
    name = result.names[best]
    others = [i for i in range(len(mean)) if i != best]
    worst = others[int(np.argmin([mean[best, i] for i in others]))]
    console.print(
        f"With itself {name} scores {mean[best, best]:.1f} of 25; with {result.names[worst]} {mean[best, worst]:.1f}."
        " Skill is not teamwork: that difference is what coplay measures."
    )


def _show_game(console: Console, game: Any, seed: int) -> None:
    """A position from the middle of a SmartBot game, as seat 0 sees it, and a link to the whole game."""
    team = ["smartbot", "smartbot"]
    episodes = play(game, team, 1, seed, engine="lockstep")
    actions = [int(action) for action in episodes.actions[0] if action >= 0]
    state = game.deal(episodes.decks[0])
    step = jax.jit(game.step)
    for action in actions[: len(actions) // 2]:
        state = step(state, jnp.full(2, action)).state
    console.print(f"\nHalf way through a game of two SmartBots (final score {int(episodes.scores[0])}):\n")
    console.print(table_terminal(game.view(state, 0), ["You", "SmartBot"]))
    (FOLDER / "table.svg").write_text(state_svg(game, state, ["SmartBot A", "SmartBot B"]))
    console.print(f"\nThe whole game on hanab.live: {to_link(game, episodes.decks[0], actions)}", soft_wrap=True)
