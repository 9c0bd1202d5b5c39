"""`coplay behaviour`; it loads what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    GameOption,
    LayoutOption,
    MoveSecondsOption,
    OnOption,
    PlayersOption,
    SeedOption,
    make_game,
    start,
)


def behaviour(
    agents: Annotated[list[str] | None, typer.Argument(help="Agents to look at; see `coplay agents`.")] = None,
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: Annotated[int, typer.Option("--games", min=1, help="Games of each agent with its own copies.")] = 200,
    seed: SeedOption = 0,
    recorded: Annotated[
        list[str] | None, typer.Option("--recorded", help="A file of recorded games to look at, too; repeat it.")
    ] = None,
    distance: Annotated[
        bool, typer.Option("--distance/--no-distance", help="Ask every agent at the others' decisions.")
    ] = True,
    on: OnOption = "1",
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    out: Annotated[
        str | None, typer.Option("--out", help="The run folder with tables and a page; the same command goes on in it.")
    ] = None,
) -> None:
    """How do agents play, and how different are they? Hints, information, conventions, a map, diversity.

    \b
    Examples:
      coplay behaviour smartbot iggi information --players 2 --games 200 --out runs/styles
      coplay behaviour smartbot --players 3 --recorded people.safetensors
      coplay behaviour greedy-cook pot-filler stay --game overcooked --layout cramped_room --games 20
      coplay behaviour greedy-cook stay --game "overcooked?layout=cramped_room&events=zsc_eval" --games 20
    """
    start()
    from coplay.data.formats import read
    from coplay.measure.behaviour.pool import behaviour as look
    from coplay.measure.study.runner import tell
    from coplay.report.pages.behaviour import print_behaviour, write_behaviour

    files = {file: read(file) for file in recorded or []}
    if players is None and files:
        players = next(iter(files.values())).game.players
    made = make_game(game, players, layout)
    asked = {"out": out, "on": on, "move_seconds": move_seconds}
    pool = look(made, agents or [], games, seed, files, distance, **asked, say=tell)
    print_behaviour(pool)
    if out is not None:
        write_behaviour(pool)
        print(f"\n{pool.folder / 'report.html'}")
