"""`coplay tournament`; it loads what it needs when it runs."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    FolderOption,
    GameOption,
    LayoutOption,
    MoveSecondsOption,
    OnOption,
    PlayersOption,
    SeedOption,
    make_game,
    start,
)


def tournament(
    agents: Annotated[list[str], typer.Argument(help="At least two teams' worth of agents; see `coplay agents`.")],
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: Annotated[
        int | None,
        typer.Option("--games", min=1, help="Deals per match; both teams play each. By default 100, with --until 20."),
    ] = None,
    matches: Annotated[
        int | None,
        typer.Option(
            "--matches",
            min=1,
            help="Drop-in matches; by default all of them, at most about 100. With --until: at most so many.",
        ),
    ] = None,
    until: Annotated[
        float | None,
        typer.Option("--until", help="Goes on until everybody's teamworkAGD is known to so many points either way."),
    ] = None,
    most: Annotated[
        float | None,
        typer.Option("--most", help="With --until: by how much two teams may differ on a deal, if the game tells not."),
    ] = None,
    reference: Annotated[
        str | None, typer.Option("--reference", help="Agents known to have equal teamwork at different skills: a,b,c.")
    ] = None,
    seed: SeedOption = 0,
    on: OnOption = "1",
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    out: FolderOption = None,
) -> None:
    """Who works well with strangers, whatever its skill? Mixed teams in pairs on the same deals.

    \b
    Examples:
      coplay tournament smartbot iggi piers valuebot internal outer --players 3 --games 100 --out runs/cup
      coplay tournament smartbot iggi piers valuebot --players 2 --reference iggi,piers
      coplay tournament smartbot iggi piers valuebot internal outer --players 2 --until 1 --out runs/known
      coplay tournament greedy-cook pot-filler deliverer stay --game overcooked --layout cramped_room --games 20
    """
    start()
    from coplay.measure.dropin.play import GAMES, GAMES_IN_ROUNDS
    from coplay.measure.study.runner import tell
    from coplay.measure.tournament import tournament as hold
    from coplay.report.pages.tournament import print_tournament, write_tournament

    made = make_game(game, players, layout)
    known = [one.strip() for one in (reference or "").split(",") if one.strip()]
    place = f"-{layout}" if layout else ""
    games = games or (GAMES if until is None else GAMES_IN_ROUNDS)
    ends = "" if until is None else f"until-{until:g}-"
    name = f"tournament-{game}{place}-{made.players}p-{len(agents)}-agents-{games}-games-{ends}seed-{seed}"
    where = out or "runs/" + re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")
    asked = {"out": where, "until": until, "most": most, "reference": known, "on": on, "move_seconds": move_seconds}
    result = hold(made, agents, games, matches, seed, **asked, say=tell)
    write_tournament(result)
    print_tournament(result)
    print(f"\n{result.folder / 'report.html'}")
