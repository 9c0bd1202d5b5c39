"""Plays the drop-in paper"s challenges in football and writes docs/dropin.md. From the root of the repository:

\b
    coplay study dropin --jobs 16

The command goes on where it was stopped.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer

from coplay.games import make
from coplay.measure.study.runner import tell
from coplay.measure.tournament import tournament
from studies.dropin.casts import CASTS, GAME, NEAR, VARIANTS, normal
from studies.dropin.page import write_page

app = typer.Typer(add_completion=False, help=__doc__, rich_markup_mode=None)
RUNS = Path("runs/dropin")


@app.command()
def dropin(
    runs: Annotated[Path, typer.Option("--runs", help="Where everything is kept.")] = RUNS,
    game: Annotated[str, typer.Option("--game", help="The football, five to a side.")] = GAME,
    games: Annotated[int, typer.Option("--games", help="Deals of a match; each is played on both sides.")] = 20,
    matches: Annotated[int, typer.Option("--matches", help="Of each challenge; 126 are all.")] = 126,
    jobs: Annotated[int, typer.Option("--jobs", help="Processes that share the teams.")] = 1,
    out: Annotated[Path, typer.Option("--out", help="The Markdown page to write.")] = Path("docs/dropin.md"),
) -> None:
    """Plays what is missing and writes the page."""
    found = []
    for cast in CASTS:
        reference = [normal(speed) for speed in cast.reference]
        asked = {"out": runs / cast.name, "reference": reference, "on": jobs}
        found.append((cast, tournament(game, cast.agents, games, matches, **asked, say=tell)))
    variants = []
    for variant in VARIANTS:
        agents = {name: variant.played(name) for name in NEAR.agents}
        asked = {"out": runs / variant.name, "on": jobs}
        changed = dataclasses.replace(make(game), dribble=variant.dribble)  # pyright: ignore[reportArgumentType, reportCallIssue]
        variants.append((variant, tournament(changed, agents, games, matches, **asked, say=tell)))
    write_page(out, found, variants)
    print(out)


if __name__ == "__main__":
    try:
        app()
    except ValueError as error:
        sys.exit(f"studies.dropin: {error}")
