"""Options that commands share, and how they begin; nothing heavy is imported before a command runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from coplay.games.game import Game

GameOption = Annotated[str, typer.Option("--game", help="hanabi, hanabi-small, hanabi-very-small or overcooked.")]
PlayersOption = Annotated[int | None, typer.Option("--players", min=1, help="Seats at the table (Hanabi: 2 to 5).")]
LayoutOption = Annotated[str | None, typer.Option("--layout", help="Overcooked kitchen: a name or a text file.")]
GamesOption = Annotated[int, typer.Option("--games", min=1, help="How many games.")]
SeedOption = Annotated[int, typer.Option("--seed", help="Same seed, same deals.")]


def start() -> None:
    """Keeps compiled functions between runs: the second run of a command starts in a moment."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "coplay" / "compiled"
    os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(cache))
    os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.3")


def make_game(
    name: str, players: int | None, layout: str | None = None, more: Mapping[str, object] | None = None
) -> Game:
    """The game that --game, --players and --layout name, with more settings of its own."""
    from coplay.games.registry import make

    settings: dict[str, object] = {**(more or {})}
    if players is not None:
        settings["players" if name.startswith("hanabi") else "chefs"] = players
    if layout is not None:
        settings["layout"] = layout
    return make(name, **settings)
