"""`coplay train`; nothing heavy is imported before it runs."""

from __future__ import annotations

import pkgutil
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coplay.cli.options import GAME, PLACES, GameOption, LayoutOption, PlayersOption, SeedOption, make_game, start
from coplay.specs import value_text
from coplay.train import recipes
from coplay.train.words import meaning

if TYPE_CHECKING:
    from coplay.train.run import Run

OwnRunsOption = Annotated[
    str | None, typer.Option("--on", metavar="WHERE", help=f"Every seed a run of its own, in --out/seed-N: {PLACES}")
]
VaryOption = Annotated[list[str], typer.Option("--vary", help="name=value: a run of its own for each; repeat it.")]
RECIPES = ", ".join(module.name for module in pkgutil.iter_modules(recipes.__path__))


def train(
    recipe: Annotated[
        str,
        typer.Argument(help=f"{RECIPES}; or your own: file:my_recipe.py."),
    ],
    out: Annotated[
        str | None, typer.Option("--out", help="The run folder; must not hold a run yet, except with --resume.")
    ] = None,
    game: GameOption = GAME,
    players: PlayersOption = None,
    layout: LayoutOption = None,
    settings: Annotated[
        list[str], typer.Option("--set", help="name=value, or preset=NAME; repeat it. --settings lists them.")
    ] = [],  # noqa: B006
    listing: Annotated[
        bool, typer.Option("--settings", help="Only list the settings, with their values for this game.")
    ] = False,
    seeds: Annotated[
        int, typer.Option("--seeds", min=1, help="Agents trained side by side; with --on, a run for each.")
    ] = 1,
    seed: SeedOption = 0,
    on: OwnRunsOption = None,
    vary: VaryOption = [],  # noqa: B006
    log: Annotated[
        list[str],
        typer.Option("--log", help="Who else is told the log: tensorboard, wandb, mlflow, csv; repeat it for several."),
    ] = [],  # noqa: B006
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the run in --out stopped.")] = False,
    hosts: Annotated[
        str,
        typer.Option(
            "--hosts",
            help="Train with other processes: auto under srun or mpirun, or which of how many they are and where they "
            "meet, 0/2@HOST:PORT.",
        ),
    ] = "",
) -> None:
    """Train an agent by a recipe.

    \b
    Examples:
      coplay train ippo --game hanabi-very-small --out runs/small
      coplay train ippo --players 2 --set preset=high-entropy --set total_turns=1e9 --seeds 2 --out runs/ippo
      coplay train bc --players 3 --set data=games.safetensors --out runs/bc
      coplay train best_response --players 2 --set partner=smartbot --out runs/br
      coplay train ippo --game "overcooked?layout=cramped_room" --settings
      coplay train ippo --players 2 --seeds 4 --vary entropy=0.01 --vary entropy=0.05 --on ray --out runs/tried
      srun --ntasks 8 coplay train ippo --players 2 --hosts auto --out runs/ippo
    """
    start()
    from coplay.train.devices.hosts import first, join
    from coplay.train.run import train as run_recipe
    from coplay.train.run import values_of

    join(hosts)  # before anything computes
    made = make_game(game, players, layout)
    if listing:
        for name, value in values_of(recipe, made, pairs_of(settings)).items():
            print(f"{name:<16} {value_text(value):<12} {meaning(recipe, name)}".rstrip())
        return
    if out is None:
        raise typer.BadParameter("name the run folder, for example runs/mine.", param_hint="--out")
    asked: dict[str, Any] = {"seeds": seeds, "seed": seed, "resume": resume, "log_to": ",".join(log)}
    if on is not None or vary:
        _train_each(recipe, made, out, on or "1", vary, hosts, asked, pairs_of(settings))
        return
    run = run_recipe(recipe, made, out, **asked, **pairs_of(settings))
    if first():
        _tell(run)


def _train_each(
    recipe: str,
    game: Any,
    out: str,
    on: str,
    vary: list[str],
    hosts: str,
    asked: dict[str, Any],
    settings: dict[str, Any],
) -> None:
    """Every seed and every setting a run of its own."""
    from coplay.measure.study.runner import tell
    from coplay.train.several import train_each

    if hosts:
        raise typer.BadParameter(
            "a run that is one of many learns on one machine; leave --hosts out.", param_hint="--on"
        )
    values: dict[str, list[str]] = {}
    for text in vary:
        for name, value in pairs_of([text]).items():
            values.setdefault(name, []).append(value)
    for run in train_each(recipe, game, out, on=on, vary=values, say=tell, **asked, **settings):
        print(f"  run:{run.folder}/agent-0.safetensors")
    print(f"\ncoplay curve {out}/*")


def _tell(run: Run) -> None:
    print(f"{run.folder}: {len(run.agents)} agent(s)")
    for number in range(len(run.agents)):
        print(f"  run:{run.folder}/agent-{number}.safetensors")
    if run.metrics:
        last = run.metrics[-1]
        shown = {name: last[name] for name in ("turns", "score", "held_out_loss", "held_out_accuracy") if name in last}
        print("  last: " + ", ".join(f"{name} {value}" for name, value in shown.items()))


def pairs_of(texts: list[str]) -> dict[str, Any]:
    """`name=value` texts as a dictionary; what the values are, whoever is set knows."""
    found = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{text!r}: write name=value.")
        found[name.strip()] = value.strip()
    return found
