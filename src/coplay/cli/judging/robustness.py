"""`coplay robustness`: the unit tests of collaboration on the command line; loads what it needs when it runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from coplay.cli.options import MOVE_SECONDS, MoveSecondsOption, NameOption, OnOption, game_of_agent, make_game, start

if TYPE_CHECKING:
    from coplay.game import Game


def robustness(
    agent: Annotated[str, typer.Argument(help="The agent to test; see `coplay agents`.")],
    game: Annotated[
        str | None,
        typer.Option("--game", help="A game with unit tests; else the one the agent is made for."),
    ] = None,
    layout: Annotated[
        list[str] | None, typer.Option("--layout", help="A map; repeat it. Without it, the ones the suite is made for.")
    ] = None,
    players: Annotated[
        list[int] | None,
        typer.Option("--players", help="Seats; repeat it. Without it, the numbers the suite is made for."),
    ] = None,
    rollouts: Annotated[int, typer.Option("--rollouts", min=1, help="Games from every start.")] = 50,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Same seed, same starts.")] = 0,
    validation: Annotated[
        bool,
        typer.Option("--validation", help="Also play whole games with held-out partners, in every seat."),
    ] = False,
    partners: Annotated[
        str | None,
        typer.Option("--partners", help="Validate with these, separated by commas; else those that are held out."),
    ] = None,
    games: Annotated[int, typer.Option("--games", min=1, help="Whole games with each of them in each seat.")] = 20,
    name: NameOption = None,
    on: OnOption = "1",
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    out: Annotated[
        str | None, typer.Option("--out", help="The run folder with tables and a page; the same command goes on in it.")
    ] = None,
) -> None:
    """Does an agent do the obvious thing in unusual situations and with unusual partners?

    \b
    Examples:
      coplay robustness theory-of-mind --layout bottleneck
      coplay robustness "theory-of-mind?params=fitted" --out runs/fitted
      coplay robustness smartbot --game hanabi --players 2
      coplay robustness greedy-cook --layout bottleneck --validation --out runs/validated
    """
    start()
    from coplay.measure.robustness import robustness as judge
    from coplay.measure.robustness import validate
    from coplay.measure.study.folder import place_for
    from coplay.measure.study.partners import listed
    from coplay.measure.study.runner import tell
    from coplay.report.pages.robustness import print_robustness, print_validation, write_robustness

    places = _games(game or game_of_agent(agent), layout, players)
    folder = place_for(out)
    how: dict[str, Any] = {"out": folder, "name": name, "on": on, "move_seconds": move_seconds, "say": tell}
    result = judge(places, agent, rollouts, seed, **how)
    print_robustness(result)
    if validation or partners:
        print_validation(validate(places, agent, listed(partners) if partners else None, games, seed, **how))
    if out is not None:
        write_robustness(result)
        print(f"\n{result.folder / 'report.html'}")


def _games(game: str, layouts: list[str] | None, players: list[int] | None) -> list[Game]:
    """What was named; of a game that is named without any settings, all that its suite is made for."""
    from coplay.measure.robustness.run import face_of
    from coplay.specs import parse

    if layouts or players:
        return [make_game(game, count, name) for name in layouts or [None] for count in players or [None]]
    made = make_game(game)
    face = face_of(made)
    return [made] if parse(game).options else face.places()
