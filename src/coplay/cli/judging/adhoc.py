"""`coplay adhoc`: ad-hoc teams on the command line; loads what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    GameOption,
    LayoutOption,
    MoveSecondsOption,
    NameOption,
    OnOption,
    PlayersOption,
    SeedOption,
    make_game,
    start,
    warn_of_scripted_partners,
)


def adhoc(
    agent: Annotated[str, typer.Argument(help="The agent to judge; see `coplay agents`.")],
    out: Annotated[str, typer.Option("--out", help="The run folder; the same command goes on in it.")],
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    partners: Annotated[str | None, typer.Option("--partners", help="The hold-out teams: copies of a, b, c.")] = None,
    pool: Annotated[
        str, typer.Option("--pool", help="The teams if none are named: default, scripted or trained.")
    ] = "default",
    trials: Annotated[int, typer.Option("--trials", min=1, help="Per team.")] = 1000,
    sets: Annotated[int, typer.Option("--sets", min=1, help="Different sets of games to learn from.")] = 100,
    observe: Annotated[str, typer.Option("--observe", help="Games in a set; 0,1,2,5,10 gives a curve.")] = "10",
    seed: SeedOption = 0,
    name: NameOption = None,
    on: OnOption = "1",
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
) -> None:
    """How well does it fit into a team it has never met, having seen a few of its games?

    \b
    Examples:
      coplay adhoc smartbot --players 2 --out runs/adhoc-smartbot
      coplay adhoc piers --players 4 --partners iggi,smartbot --trials 200 --sets 100 --out runs/adhoc-piers
      coplay adhoc file:examples/mimic.py:Mimic --partners smartbot,piers --observe 0,1,2,5,10 --out runs/mimic
    """
    start()
    from coplay.measure import MeasureError
    from coplay.measure.adhoc import adhoc as judge
    from coplay.measure.study.partners import default_partners, listed
    from coplay.measure.study.runner import tell
    from coplay.report.pages.adhoc import print_adhoc, write_adhoc

    try:
        amounts = [int(part) for part in observe.split(",")]
    except ValueError:
        raise MeasureError(f"--observe {observe}: write whole numbers with commas, for example 0,1,10.") from None
    made = make_game(game, players, layout)
    warn_of_scripted_partners(partners, pool)
    teams = listed(partners) if partners is not None else default_partners(made, agent, pool)
    asked = {"out": out, "name": name, "on": on, "move_seconds": move_seconds}
    found = judge(made, agent, teams, trials, sets, amounts, seed, **asked, say=tell)
    write_adhoc(found)
    print_adhoc(found)
    print(f"\n{found.folder / 'report.html'}")
