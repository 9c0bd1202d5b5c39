"""Trains one learner per weight of the clone, and writes docs/kl.md. From the root of the repository:

\b
    coplay study kl train --turns 1e9
    coplay study kl page --games 5000 --jobs 16

Both commands go on where they were stopped.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from coplay.agents.spec import agent
from coplay.games import make
from coplay.nets.file import save_policy
from coplay.nets.policy import NetPolicy
from coplay.train import train as train_agents
from coplay.train.settings import TrainError
from studies.kl.page import WEIGHTS, write_page
from studies.kl.played import CLONE, played

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None)
RUNS = Path("runs/kl")

OutOption = Annotated[Path, typer.Option("--runs", help="Where everything is kept.")]
GameOption = Annotated[str, typer.Option("--game", help="A game with recorded games of its own.")]


@app.command()
def train(
    runs: OutOption = RUNS,
    clone: Annotated[str, typer.Option("--clone", help="A trained clone.")] = "pool:hanabi-2p-community-bc-0",
    game: GameOption = "hanabi?players=2",
    turns: Annotated[float, typer.Option("--turns", help="For which each learns.")] = 1e9,
    setting: Annotated[list[str] | None, typer.Option("--set", help="Of the learner: name=value; a try.")] = None,
) -> None:
    """Trains a learner for every weight, side by side."""
    made = make(game)
    player = agent(clone, made)
    if not isinstance(player, NetPolicy):
        raise TrainError(f"--clone {clone}: not a trained player.")
    file = runs / CLONE
    save_policy(file, player.network, player.game, {"clone": clone}, "float32")
    given: dict[str, Any] = {"bc": str(file), "kl": ",".join(map(str, WEIGHTS)), "preset": "proxy"}
    given |= {"total_turns": turns, **dict(pair.split("=", 1) for pair in setting or ())}
    train_agents("hdr_ippo", made, runs, seeds=given["kl"].count(",") + 1, resume=True, **given)


@app.command()
def page(
    runs: OutOption = RUNS,
    game: GameOption = "hanabi?players=2",
    data: Annotated[str, typer.Option("--data", help="Held-out games: a file, or a community's name.")] = "community",
    games: Annotated[int, typer.Option("--games", help="Of every pair, in each seat.")] = 5000,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes that share the pairs.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="The Markdown page to write.")] = Path("docs/kl.md"),
) -> None:
    """Plays what is missing and writes the page with its figures."""
    write_page(out, played(make(game), runs, data, games, jobs))
    print(out)


if __name__ == "__main__":
    try:
        app()
    except (TrainError, ValueError) as error:
        sys.exit(f"studies.kl: {error}")
