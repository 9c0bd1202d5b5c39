"""The tables of docs/results.md: `python -m studies.results --out docs/results.md`, from the root of the repository."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import Annotated

import typer

from coplay.cli.options import PLACES, start
from coplay.measure import MeasureError
from coplay.measure.study.partners import listed
from studies.results.page import write_reference, write_results
from studies.results.work import FULL, QUICK, Work

app = typer.Typer(add_completion=False)


@app.command()
def results(
    out: Annotated[str, typer.Option("--out", help="The Markdown page to write.")],
    cache: Annotated[str, typer.Option("--cache", help="Where played games are kept for the next time.")] = "",
    quick: Annotated[
        bool, typer.Option("--quick", help="Far fewer games: a look at the form, not at numbers.")
    ] = False,
    on: Annotated[str, typer.Option("--on", "--jobs", metavar="WHERE", help=f"Where it is played: {PLACES}")] = "1",
    trials: Annotated[
        int | None, typer.Option("--trials", min=1, help="Ad-hoc trials per team. [default: 1000]")
    ] = None,
    sets: Annotated[
        int | None, typer.Option("--sets", min=1, help="Different sets of games to observe. [default: 100]")
    ] = None,
    games: Annotated[
        int | None, typer.Option("--games", min=1, help="With proxies, over all seatings. [default: 1000]")
    ] = None,
    each: Annotated[int | None, typer.Option("--each", min=1, help="With a partner, per seat. [default: 250]")] = None,
    episodes: Annotated[
        int | None, typer.Option("--episodes", min=1, help="With a partner in a kitchen, per seat. [default: 50]")
    ] = None,
    recorded: Annotated[int | None, typer.Option("--recorded", min=1, help="Games to predict. [default: 500]")] = None,
    rollouts: Annotated[
        int | None, typer.Option("--rollouts", min=1, help="Games from every start of a unit test. [default: 50]")
    ] = None,
    only: Annotated[
        str | None, typer.Option("--only", help="Make these sections: adhoc,ah2ac2,prediction,proximity,robustness.")
    ] = None,
    agents: Annotated[str | None, typer.Option("--agents", help="Only these: a,b,c.")] = None,
    players: Annotated[str, typer.Option("--players", help="Numbers of Hanabi players.")] = "2,3",
    people: Annotated[list[str] | None, typer.Option("--people", help="Games of people to predict; repeat it.")] = None,
    reference: Annotated[
        str | None, typer.Option("--reference", help="Also write who scores what with whom here, for the package.")
    ] = None,
) -> None:
    """Judge every shipped agent by strangers and write the tables.

    Interrupted? Repeat the command: what was played is not played again.

    \b
    Examples:
      python -m studies.results --out docs/results.md --jobs 16 --people 3_player_games_val.safetensors
      python -m studies.results --out docs/results.md --only prediction
      python -m studies.results --out /tmp/look.md --quick --agents smartbot,piers --players 2
    """
    start()
    try:
        counts = [int(part) for part in players.split(",")]
    except ValueError:
        raise MeasureError(f"--players {players}: write whole numbers with commas, for example 2,3.") from None
    where = Path(cache or ("runs/results-quick" if quick else "runs/results"))
    asked = {
        "trials": trials,
        "sets": sets,
        "games": games,
        "each": each,
        "episodes": episodes,
        "recorded": recorded,
        "rollouts": rollouts,
    }
    size = dataclasses.replace(QUICK if quick else FULL, **{name: value for name, value in asked.items() if value})
    work = Work(where, size, listed(agents), counts)
    write_results(Path(out), work, listed(only), [Path(file) for file in people or []], on)
    if reference is not None:
        write_reference(Path(reference), work)
    print(out)


if __name__ == "__main__":
    try:
        app()
    except MeasureError as error:
        sys.exit(f"studies.results: {error}")
