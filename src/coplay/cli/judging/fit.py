"""`coplay fit`: an agent's parameters from recorded games; loads what it needs when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.options import LayoutOption, SeedOption, game_of_agent, make_game, start


def fit(
    agent: Annotated[str, typer.Argument(help="An agent with parameters, such as theory-of-mind.")],
    data: Annotated[str, typer.Option("--data", help="Recorded games; several files or folders with commas.")],
    out: Annotated[str, typer.Option("--out", help="The folder of the fit; the same command goes on in it.")],
    game: Annotated[str | None, typer.Option("--game", help="The game; else the one the agent is made for.")] = None,
    layout: LayoutOption = None,
    chains: Annotated[int, typer.Option("--chains", min=1, help="Chains, side by side.")] = 4,
    steps: Annotated[int, typer.Option("--steps", min=1, help="Steps of each chain.")] = 200,
    seed: SeedOption = 0,
) -> None:
    """Which parameters make an agent play as these people did? Samples them by Metropolis.

    \b
    Examples:
      coplay fit "theory-of-mind?params=fitted" --layout cramped_room --data people --out runs/fit
      coplay fit theory-of-mind --game bottleneck --data trials.npz --steps 500 --out runs/fit
    """
    start()
    from coplay.report.pages.fitting import print_fit, write_fit
    from coplay.train.fitting import fit as sample

    made = make_game(game or game_of_agent(agent), None, layout)
    found = sample(made, agent, data, out, chains, steps, seed)
    print_fit(found)
    write_fit(found)
    print(f"\n{found.folder / 'report.html'}")
