"""`coplay data record`; nothing heavy is imported before it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    GameOption,
    GamesOption,
    MoveSecondsOption,
    PlayersOption,
    SeedOption,
    make_game,
    start,
)


def record(
    who: Annotated[list[str], typer.Argument(help="community, a recipe of your own (.toml), or agents.")],
    out: Annotated[str, typer.Option("--out", help="The file to write; parts are kept beside it until it is whole.")],
    game: GameOption = GAME,
    players: PlayersOption = None,
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    first: Annotated[int, typer.Option("--first", min=0, help="The number of the first game of the seed.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes that share the games.")] = 1,
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    progress: Annotated[bool | None, typer.Option("--progress/--quiet", help="By default on a terminal.")] = None,
) -> None:
    """Record games, with seats drawn anew for every game: Hanabi in the AH2AC2 format, others as episodes.

    \b
    A game depends on who plays, the seed and its number alone, whatever the number of processes. A recording that was
    killed goes on where it stopped when the same command is given again. Every game is checked by the engine.

    \b
    Examples:
      coplay data record community --players 2 --games 101096 --jobs 16 --out community_2p.safetensors
      coplay data record community --players 2 --first 101096 --games 1000 --out community_2p_val.safetensors
      coplay data record hgroup "hgroup?level=3&finesse=false&slip=0.02" --players 3 --out games.safetensors
    """
    start()
    from coplay.data.recording import record as play_and_write
    from coplay.data.summary import statistics

    made = make_game(game, players)
    recorded = play_and_write(made, who, games, out, seed, first, jobs, progress, move_seconds)
    print(f"{out}: {len(recorded)} games of {made.players} players, {(recorded.scores == 0).mean():.2%} at zero")
    print(statistics(recorded))
