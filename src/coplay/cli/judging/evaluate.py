"""`coplay evaluate`; loads what it needs when it runs."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from coplay.cli.options import (
    GAME,
    MOVE_SECONDS,
    PLACES,
    FolderOption,
    GameOption,
    LayoutOption,
    MoveSecondsOption,
    NameOption,
    PlayersOption,
    SeedOption,
    make_game,
    start,
    warn_of_scripted_partners,
)


def evaluate(
    agents: Annotated[
        list[str], typer.Argument(help="The agent to judge, see `coplay agents`; or several; run:DIR is all of a run.")
    ],
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    partners: Annotated[str | None, typer.Option("--partners", help="Whom it meets: a,b,c.")] = None,
    pool: Annotated[
        str, typer.Option("--pool", help="Whom it meets if no partners are named: default, scripted or trained.")
    ] = "default",
    games: Annotated[int, typer.Option("--games", min=1, help="Games per team; with --until at most so many.")] = 1000,
    until: Annotated[
        float | None,
        typer.Option("--until", help="Ends when the mean with the partners is known to so many points either way."),
    ] = None,
    seed: SeedOption = 0,
    seatings: Annotated[
        str, typer.Option("--seatings", help="each: the agent in one seat after the other; all: also in several.")
    ] = "each",
    tests: Annotated[
        bool, typer.Option("--robustness/--no-robustness", help="Also play the unit tests, where the game has some.")
    ] = True,
    validation: Annotated[
        bool,
        typer.Option("--validation", help="Also play whole games with the partners that the unit tests hold out."),
    ] = False,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            "--jobs",
            metavar="WHERE",
            help=f"Where the teams are played: {PLACES} By default several processes for plain agents.",
        ),
    ] = None,
    name: NameOption = None,
    move_seconds: MoveSecondsOption = MOVE_SECONDS,
    out: FolderOption = None,
) -> None:
    """How good, with whom, how sure? Plays with every partner in every seat and writes a report.

    \b
    Examples:
      coplay evaluate smartbot --players 2 --games 100
      coplay evaluate piers --players 3 --partners iggi,smartbot --games 1000 --out runs/piers
      coplay evaluate greedy-cook --game overcooked --layout cramped_room --games 20
      coplay evaluate run:runs/ippo run:runs/other_play smartbot --games 200 --out runs/methods
      coplay evaluate "llm:qwen3?url=http://127.0.0.1:11434/v1" --partners piers,iggi --games 100 --until 1.5
      coplay evaluate --config eval.toml
    """
    start()
    from coplay.measure.study.cast import names_of
    from coplay.measure.study.partners import check_pool, listed

    check_pool(pool)
    warn_of_scripted_partners(partners, pool)
    made = make_game(game, players, layout)
    place = f"-{layout}" if layout else ""
    asked = f"{game}{place}-{made.players}p-{_ends(until)}{games}-games-seed-{seed}"
    who = [agent for agent, _ in names_of(agents)]
    settings = {"games": games, "seed": seed, "seatings": seatings, "pool": pool, "move_seconds": move_seconds}
    settings |= {"until": until}
    rest = (listed(partners), on, Besides(tests, validation), settings)
    if len(who) == 1:
        _tell(_judge(made, who[0], out or _folder(f"{name or agents[0]}-{asked}"), name, *rest))
    else:
        _judge_all(made, who, name, out or _folder(f"{'-'.join(agents)}-{asked}"), *rest)


def _tell(found: Any) -> None:
    """An evaluation, and where its page is."""
    from coplay.report.terminal import print_evaluation

    print_evaluation(found)
    print(f"\n{found.folder / 'report.html'}")


def _ends(until: float | None) -> str:
    return "" if until is None else f"until-{until:g}-"


class Besides(NamedTuple):
    """What is played beside the games with the partners."""

    tests: bool
    validation: bool


def _judge(
    game: Any,
    agent: str,
    where: str | Path,
    name: str | None,
    partners: Any,
    on: str | None,
    besides: Besides,
    settings: dict[str, Any],
) -> Any:
    """Plays an evaluation, or the rest of it, and makes its page."""
    from coplay.games import spec_of
    from coplay.measure.evaluated.play import play_evaluation, usual_jobs
    from coplay.measure.evaluated.tests import check_validation
    from coplay.measure.evaluation import sum_up
    from coplay.measure.study.runner import tell
    from coplay.report.pages.evaluation import write_report
    from coplay.rollouts.play import chunk_size

    if besides.validation:
        check_validation(game)
    room = chunk_size(settings["games"])
    same = {"game": spec_of(game), "agent": agent, "seed": settings["seed"], "room": room}
    beside = partial(_play_besides, besides=besides, **same)
    place = on or usual_jobs(game, agent)
    settings = settings | {"on": place, "name": name, "say": tell, "beside": beside}
    return write_report(sum_up(play_evaluation(game, agent, where, partners, **settings)))


def _play_besides(folder: Any, *, besides: Besides, game: str, agent: str, seed: int, room: int) -> None:
    """A function of the module, so that another process can be asked for it."""
    from coplay.measure.evaluated.tests import run_tests, run_validation

    if besides.tests:
        run_tests(folder, game, agent, seed, room=room)
    if besides.validation:
        run_validation(folder, game, agent, seed)


def _judge_all(
    game: Any,
    agents: list[str],
    name: str | None,
    where: str,
    partners: Any,
    on: str | None,
    besides: Besides,
    settings: dict[str, Any],
) -> None:
    """One after the other, each in a folder of its own; then what they come to together."""
    from coplay.measure import MeasureError
    from coplay.measure.evaluated.several import begin_several, check_alone, check_shared, others
    from coplay.measure.study.runner import tell
    from coplay.report.pages.evaluations import write_several
    from coplay.report.terminal import print_several

    if name is not None:
        raise MeasureError(f"--name {name}: several agents go by their own names; leave it out.")
    check_shared(agents, partners)
    check_alone(settings)
    for agent, folder in begin_several(where, agents).items():
        tell(f"{agent}:")
        met = None if partners is None else list(others(agent, partners) or {})
        _judge(game, agent, folder, None, met, on, besides, settings)
    print_several(write_several(where))
    print(f"\n{where}/report.html")


def _folder(words: str) -> str:
    """A run folder whose name tells what was asked."""
    return "runs/" + re.sub(r"[^A-Za-z0-9._-]+", "-", words).strip("-.")[-150:]
