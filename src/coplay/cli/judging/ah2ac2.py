"""`coplay ah2ac2`: the AH2AC2 protocol on the command line; loads what it needs when it runs."""

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
)


def ah2ac2(
    candidate: Annotated[str, typer.Argument(help="The agent to judge; see `coplay agents`.")],
    out: Annotated[str, typer.Option("--out", help="The run folder; the same command goes on in it.")],
    proxies: Annotated[str | None, typer.Option("--proxies", help="a,b,c; without it, those of the pool.")] = None,
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: Annotated[int, typer.Option("--games", min=1, help="In all, rounded up to whole configurations.")] = 1000,
    seed: SeedOption = 0,
    on: OnOption = "1",
    name: NameOption = None,
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
) -> None:
    """How well does it play with proxies of people? Every seating and combination, as AH2AC2 has it.

    \b
    Examples:
      coplay ah2ac2 smartbot --proxies hgroup,fireflower --players 2 --games 100 --out runs/proxies
      coplay ah2ac2 pool:hanabi-2p-ippo-0 --players 2 --out runs/ah2ac2-2p
      coplay ah2ac2 piers --players 3 --out runs/ah2ac2-3p
    """
    start()
    from coplay.measure.ah2ac2 import ah2ac2 as judge
    from coplay.measure.study.partners import listed
    from coplay.measure.study.runner import tell
    from coplay.report.pages.ah2ac2 import print_ah2ac2, write_ah2ac2

    made, others = make_game(game, players, layout), listed(proxies)
    asked = {"out": out, "name": name, "on": on, "move_seconds": move_seconds}
    found = judge(made, candidate, others, games, seed, **asked, say=tell)
    write_ah2ac2(found)
    print_ah2ac2(found)
    print(f"\n{found.folder / 'report.html'}")
