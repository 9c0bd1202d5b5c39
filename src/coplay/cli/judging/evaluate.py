"""`coplay evaluate` and `coplay report`; each loads what it needs when it runs."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    GameOption,
    LayoutOption,
    MoveSecondsOption,
    NameOption,
    PlayersOption,
    SeedOption,
    make_game,
    start,
    warn_of_scripted_partners,
)


def evaluate(
    agent: Annotated[str, typer.Argument(help="The agent to judge; see `coplay agents`.")],
    game: GameOption = GAME,
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
    name: NameOption = None,
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
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
    from coplay.games import spec_of
    from coplay.measure.evaluated.play import play_evaluation, usual_jobs
    from coplay.measure.evaluated.tests import run_tests
    from coplay.measure.evaluation import sum_up
    from coplay.measure.study.partners import check_pool, listed
    from coplay.measure.study.runner import tell
    from coplay.rollouts.play import chunk_size

    check_pool(pool)
    warn_of_scripted_partners(partners, pool)
    made = make_game(game, players, layout)
    place = f"-{layout}" if layout else ""
    where = out or _folder(f"{name or agent}-{game}{place}-{made.players}p-{games}-games-seed-{seed}")
    unit_tests = partial(run_tests, game=spec_of(made), agent=agent, seed=seed, room=chunk_size(games))
    played = play_evaluation(
        made,
        agent,
        where,
        listed(partners),
        games,
        seed,
        seatings,
        pool,
        jobs or usual_jobs(made, agent),
        say=tell,
        beside=unit_tests if tests else None,
        name=name,
        move_seconds=move_seconds,
    )
    from coplay.report.pages.evaluation import write_report
    from coplay.report.terminal import print_evaluation

    print_evaluation(write_report(sum_up(played)))
    print(f"\n{played.folder / 'report.html'}")


def _folder(words: str) -> str:
    """A run folder whose name tells what was asked."""
    return "runs/" + re.sub(r"[^A-Za-z0-9._-]+", "-", words).strip("-.")


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

    from coplay.files import write_whole
    from coplay.measure.evaluated.compare import compare
    from coplay.measure.evaluated.folder import EvaluationFolder
    from coplay.report.pages.comparison import comparison_page
    from coplay.report.pages.evaluation import write_report
    from coplay.report.terminal import print_comparison, print_evaluation

    if len(folders) == 1:
        found = write_report(folders[0])
        print_evaluation(found)
        print(f"\n{found.folder / 'report.html'}")
        return
    result = compare([EvaluationFolder(folder) for folder in folders])
    print_comparison(result)
    if out:
        write_whole(Path(out), comparison_page(result))
        print(f"\n{out}")
