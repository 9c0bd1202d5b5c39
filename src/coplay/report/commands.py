"""`coplay evaluate` and `coplay report`; each loads what it needs when it runs."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

import typer

from coplay.report.options import GameOption, LayoutOption, PlayersOption, SeedOption, make_game, start


def evaluate(
    agent: Annotated[str, typer.Argument(help="The agent to judge; see `coplay agents`.")],
    game: GameOption = "hanabi",
    players: PlayersOption = None,
    layout: LayoutOption = None,
    partners: Annotated[str | None, typer.Option("--partners", help="Whom it meets: a,b,c.")] = None,
    pool: Annotated[
        str, typer.Option("--pool", help="Whom it meets if no partners are named: default, scripted or trained.")
    ] = "default",
    games: Annotated[int, typer.Option("--games", min=1, help="Games per team.")] = 1000,
    seed: SeedOption = 0,
    seatings: Annotated[
        str, typer.Option("--seatings", help="each: the agent in one seat after the other; all: also in several.")
    ] = "each",
    tests: Annotated[
        bool, typer.Option("--robustness/--no-robustness", help="Also play the unit tests, where the game has some.")
    ] = True,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", min=1, help="Processes that share the teams; several by default for plain agents."),
    ] = None,
    out: Annotated[str | None, typer.Option("--out", help="The run folder; the same command goes on in it.")] = None,
) -> None:
    """How good, with whom, how sure? Plays with every partner in every seat and writes a report.

    \b
    Examples:
      coplay evaluate smartbot --players 2 --games 100
      coplay evaluate piers --players 3 --partners iggi,smartbot --games 1000 --out runs/piers
      coplay evaluate greedy-cook --game overcooked --layout cramped_room --games 20
    """
    start()
    from coplay.measure.evaluate import evaluate as judge
    from coplay.measure.evaluate import nothing_beside, usual_jobs
    from coplay.measure.evaluated_tests import run_tests
    from coplay.measure.partners import check_pool, listed
    from coplay.play.play import chunk_size

    check_pool(pool)
    made = make_game(game, players, layout)
    kitchen = f"-{layout}" if layout else ""
    name = f"{agent}-{game}{kitchen}-{made.players}p-{games}-games-seed-{seed}"
    where = out or "runs/" + re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")

    unit_tests = partial(run_tests, game=made, agent=agent, seed=seed, room=chunk_size(games))
    folder = judge(
        made,
        agent,
        where,
        listed(partners),
        games,
        seed,
        seatings,
        pool,
        jobs or usual_jobs(made, agent),
        beside=unit_tests if tests else nothing_beside,
    )
    from coplay.report.evaluation import write_report
    from coplay.report.terminal import print_summary

    print_summary(write_report(folder))
    print(f"\n{folder / 'report.html'}")


def report(
    folders: Annotated[list[str], typer.Argument(help="Run folders of `coplay evaluate`, the reference first.")],
    out: Annotated[str | None, typer.Option("--out", help="Write the comparison here as a page.")] = None,
) -> None:
    """Compare evaluations on the deals and partners they share; with one folder, make its page again.

    \b
    Examples:
      coplay report runs/a runs/b
      coplay report runs/a runs/b runs/c --out comparison.html
      coplay report runs/a
    """
    start()
    from pathlib import Path

    from coplay.data.whole_file import write_whole
    from coplay.measure.compare import compare
    from coplay.measure.run_folder import RunFolder
    from coplay.report.comparison import comparison_page
    from coplay.report.evaluation import write_report
    from coplay.report.terminal import print_comparison, print_summary

    if len(folders) == 1:
        folder = RunFolder(folders[0])
        print_summary(write_report(folder))
        print(f"\n{folder / 'report.html'}")
        return
    result = compare([RunFolder(folder) for folder in folders])
    print_comparison(result)
    if out:
        write_whole(Path(out), comparison_page(result))
        print(f"\n{out}")
