"""`coplay measure`: measures of other packages and of your own files; loads what it needs when it runs."""

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


def measure(
    name: Annotated[str, typer.Argument(help="The measure: a name of an installed package's, or file:PATH:CLASS.")],
    agents: Annotated[list[str], typer.Argument(help="Whom it is asked about; see `coplay agents`.")],
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: Annotated[int, typer.Option("--games", min=1, help="Games of every team.")] = 100,
    seed: SeedOption = 0,
    on: OnOption = "1",
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    out: FolderOption = None,
) -> None:
    """Ask a question of your own: who sits with whom, and what the scores say.

    \b
    Examples:
      coplay measure file:loyalty.py:Loyalty smartbot iggi --games 100 --out runs/loyalty
    """
    start()
    from coplay.measure.study.outside import ask
    from coplay.measure.study.runner import tell
    from coplay.report.pages.outside import write_answer

    made = make_game(game, players, layout)
    slug = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{name}-{game}-{made.players}p-{games}-games-seed-{seed}").strip("-.")
    answer = ask(name, made, agents, out or f"runs/{slug}", games, seed, tell, move_seconds, on)
    write_answer(answer)
    print(answer.summary)
    print(f"\n{answer.folder / 'report.html'}")
