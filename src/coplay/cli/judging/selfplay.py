"""`coplay selfplay`: an agent with its own copies."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    GameOption,
    GamesOption,
    LayoutOption,
    MoveSecondsOption,
    PlayersOption,
    SeedOption,
    everyone,
    make_game,
    start,
)

HEAD = f"{'agent':<24} {'games':>7} {'mean':>7} {'sd':>6} {'s.e.':>6} {'perfect':>8} {'zero':>7} {'turns':>6}"


def selfplay(
    agents: Annotated[list[str], typer.Argument(help="Agents to judge; see `coplay agents`.")],
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    games: GamesOption = 1000,
    seed: SeedOption = 0,
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    save: Annotated[str | None, typer.Option("--save", help="Keep the games in this file for `replay`.")] = None,
    out: Annotated[
        str | None, typer.Option("--out", help="Write the table here as CSV, and histograms beside it.")
    ] = None,
) -> None:
    """How well does a team of copies play? Mean score, its standard error, perfect and lost games.

    \b
    Examples:
      coplay selfplay smartbot --players 2 --games 10000
      coplay selfplay random smartbot iggi --players 3
      coplay selfplay all --players 5
      coplay selfplay smartbot --games 20 --save runs/smartbot.safetensors
      coplay selfplay smartbot iggi --games 1000 --out selfplay.csv
    """
    start()
    from coplay.measure.selfplay import selfplay as judge
    from coplay.rollouts.episode_file import save as save_episodes

    made = make_game(game, players, layout)
    agents = everyone(agents, made)
    if save and len(agents) > 1:
        raise typer.BadParameter("--save keeps the games of one agent; name one agent.")
    results = []
    for agent in agents:
        result = judge(made, agent, games, seed, move_seconds=move_seconds)
        if not results:
            print(HEAD)
        results.append(result)
        perfect = "–" if result.perfect is None else f"{result.perfect:.2%}"
        print(
            f"{result.agent:<24} {result.games:>7} {result.mean:>7.2f} {result.sd:>6.2f} {result.standard_error:>6.3f}"
            f" {perfect:>8} {result.zero:>7.2%} {result.turns:>6.1f}",
            flush=True,
        )
        for forfeit in result.forfeits[:1]:
            print(f"  {len(result.forfeits)} forfeited; the first: {forfeit}", file=sys.stderr)
        if save:
            save_episodes(result.episodes, save)
    if out:
        from coplay.report.pages.selfplay import write_selfplay

        print(*write_selfplay(results, out), sep="\n")
