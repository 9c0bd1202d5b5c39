"""`coplay crossplay`: every agent with every other."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    GameOption,
    GamesOption,
    LayoutOption,
    MoveSecondsOption,
    OnOption,
    PlayersOption,
    SeedOption,
    TableOption,
    everyone,
    make_game,
    start,
)

TEAMS: dict[str, int | None] = {"pairs": 2, "two": 2, "all": None}  # how many different agents a team may have


def crossplay(
    agents: Annotated[list[str], typer.Argument(help="Agents to seat with each other; see `coplay agents`.")],
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    out: TableOption = None,
    on: OnOption = "1",
    teams: Annotated[
        str, typer.Option("--teams", help="pairs: one with copies of another; two, all: every team, every seating.")
    ] = "pairs",
) -> None:
    """Who plays well with whom? Row: the agent in seat 0. Column: the agent in all other seats.

    \b
    --teams two: every team of at most two different agents, in every seating. --teams all: every team.

    \b
    Examples:
      coplay crossplay smartbot iggi piers --players 2
      coplay crossplay smartbot iggi piers --players 2 --out runs/crossplay
      coplay crossplay smartbot information --players 4 --games 200 --out matrix.csv
      coplay crossplay all --players 3 --on local:16
      coplay crossplay all --players 3 --on ray --out runs/all
      coplay crossplay smartbot iggi piers --players 3 --teams all --games 100 --out teams.csv
    """
    start()
    import sys

    from coplay.measure import MeasureError
    from coplay.measure.crossplay import crossplay as play_pairs
    from coplay.measure.study.runner import tell
    from coplay.measure.team_play import team_play
    from coplay.report.matrix import print_matrix, print_teams
    from coplay.report.pages.crossplay import is_table, write_crossplay

    if teams not in TEAMS:
        raise MeasureError(f"--teams {teams}: choose one of {', '.join(TEAMS)}.")
    made = make_game(game, players, layout)
    who, folder = everyone(agents, made), None if is_table(out) else out
    if teams == "pairs":
        found = play_pairs(made, who, games, seed, on, move_seconds, out=folder, say=tell)
        print_matrix(found)
    else:
        found = team_play(made, who, games, seed, TEAMS[teams], on, move_seconds, out=folder, say=tell)
        print_teams(found)
    if out:
        write_crossplay(found, out)
    if folder:
        print(f"\n{folder}/report.html")
    if found.forfeits:
        print(f"{len(found.forfeits)} games forfeited, score 0; the first: {found.forfeits[0]}", file=sys.stderr)
