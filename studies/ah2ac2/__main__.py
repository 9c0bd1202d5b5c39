"""The candidates of AH2AC2's Table 4 and the page about them, from the root of the repository:

    python -m studies.ah2ac2 train --players 2 --only BC --only HDR-IPPO --out runs/table4
    python -m studies.ah2ac2 page --out docs/ah2ac2.md --runs runs/table4

Rows train in one process after the other; several processes may train different rows side by side. Both commands go on
where they were stopped.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from coplay.files import write_whole
from coplay.games import make
from coplay.train import train as train_agents
from coplay.train.settings import TrainError
from studies.ah2ac2.page import page_text
from studies.ah2ac2.rows import ROWS, SEEDS, named
from studies.results.work import FULL, QUICK, Work

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None)


@app.command()
def train(
    out: Annotated[Path, typer.Option("--out", help="Where all rows are kept.")],
    players: Annotated[int, typer.Option("--players", min=2, max=3)] = 2,
    only: Annotated[list[str] | None, typer.Option("--only", help="These rows; repeat it.")] = None,
    setting: Annotated[list[str] | None, typer.Option("--set", help="For every row: name=value; a try.")] = None,
) -> None:
    """Trains the candidates that are missing."""
    rows = [named(name) for name in only] if only else list(ROWS)
    given = dict(pair.split("=", 1) for pair in setting or ())
    for row in rows:
        place = row.folder(out, players)
        print(f"{row.name}, {players} players: {place}", flush=True)
        settings = {**row.settings(out, players), **given}
        train_agents(row.recipe, make("hanabi", players=players), place, seeds=SEEDS, resume=True, **settings)


@app.command()
def page(
    out: Annotated[Path, typer.Option("--out", help="The Markdown page to write.")],
    runs: Annotated[Path, typer.Option("--runs", help="Where the rows are kept.")],
    cache: Annotated[Path, typer.Option("--cache", help="Where played games are kept.")] = Path("runs/results"),
    quick: Annotated[bool, typer.Option("--quick", help="Far fewer games: a look at the form.")] = False,
) -> None:
    """Plays what is missing and writes the tables."""
    work = Work(cache, QUICK if quick else FULL)
    write_whole(out, page_text(work, runs))
    print(out)


if __name__ == "__main__":
    try:
        app()
    except (TrainError, ValueError) as error:
        sys.exit(f"studies.ah2ac2: {error}")
