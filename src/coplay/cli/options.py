"""Options that commands share, and how they begin; nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
import sys
from typing import Annotated, Any

import typer

from coplay.worlds import DEFAULT

GameOption = Annotated[
    str, typer.Option("--game", help="A game with its settings: hanabi?players=3, or your own: file:PATH:CLASS.")
]
PlayersOption = Annotated[
    int | None,
    typer.Option("--players", min=1, help="Seats at the table; by default as many as the game says (Hanabi: 2)."),
]
LayoutOption = Annotated[str | None, typer.Option("--layout", help="The map, of a game that has several.")]
GamesOption = Annotated[int, typer.Option("--games", min=1, help="How many games.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Same seed, same deals.")]
MoveSecondsOption = Annotated[
    float, typer.Option("--move-seconds", min=0.001, help="How long a plain agent may think about a move.")
]
NameOption = Annotated[
    str | None, typer.Option("--name", help="What the agent is called in tables and on the page; else its spec.")
]
FolderOption = Annotated[str | None, typer.Option("--out", help="The run folder; the same command goes on in it.")]
TableOption = Annotated[
    str | None,
    typer.Option("--out", help="A run folder, in which the same command goes on; or FILE.csv for the table alone."),
]
PLACES = "a number of processes (local:8, or 8 alone), ray, ray://HOST:PORT of a cluster, slurm."
OnOption = Annotated[str, typer.Option("--on", "--jobs", metavar="WHERE", help=f"Where the teams are played: {PLACES}")]
GAME, MOVE_SECONDS = DEFAULT, 60.0


def start() -> None:
    """Keeps compiled programs between runs: the second run of a command starts in a moment."""
    cache = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "coplay", "compiled")
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", cache)
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3")


def make_game(name: str, players: int | None = None, layout: str | None = None, **settings: Any) -> Any:
    """The game that --game, --players and --layout name."""
    from coplay.games import make

    given = {"players": players, "layout": layout, **settings}
    return make(name, **{setting: value for setting, value in given.items() if value is not None})


def warn_of_scripted_partners(partners: str | None, pool: str) -> None:
    """Whoever meets the usual partners where no trained ones are installed is told so, and how to get them."""
    from coplay.pool.sources import missing

    if partners is None and pool == "default" and missing():
        print(f"{missing()} The scripted agents are met alone.", file=sys.stderr)


def game_of_agent(agent: str) -> str:
    """The game that an agent is made for, where its name tells; else the usual one."""
    from coplay.pool.pool import entries
    from coplay.registry import worlds
    from coplay.specs import parse

    spec = parse(agent)
    if spec.prefix == "pool" and spec.place in entries():
        return entries()[spec.place].game
    for world in worlds().values():
        if spec.name in world.agents or spec.prefix in world.loaders:
            return world.name
    return GAME


def everyone(agents: list[str], game: Any) -> list[str]:
    """`all` stands for every agent with a name that plays this game."""
    if agents != ["all"]:
        return agents
    from coplay.agents.spec import playing

    return playing(game)
