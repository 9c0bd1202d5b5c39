"""`coplay partners …`; nothing heavy is imported before it runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from coplay.cli.options import PLACES, SeedOption
from coplay.cli.train import pairs_of

app = typer.Typer(
    help="Partners that prefer different things, to judge agents with.", no_args_is_help=True, rich_markup_mode=None
)
# Enough to see every step work on two cores in minutes; the partners are beginners.
QUICK = {
    "pairs": 6,
    "choose": 3,
    "turns": 6e5,
    "response_turns": 2.5e5,
    "episodes": 8,
    "judged": 20,
    "learn": {"games": 64, "turns": 128, "minibatches": 16, "embed": 64, "actor": 64, "critic": 64, "shaping": 3e6},
}


@app.callback()
def _group() -> None:
    """Keeps `make` a command of its own."""


@app.command()
def make(
    games: Annotated[list[str], typer.Argument(help="Games or kitchens: cramped_room, hanabi?players=3.")],
    out: Annotated[
        str | None,
        typer.Option("--out", help="The folder, of several games one with a folder each; the same command goes on."),
    ] = None,
    pairs: Annotated[int | None, typer.Option("--pairs", min=1, help="Tastes that are tried (64).")] = None,
    choose: Annotated[
        int | None, typer.Option("--choose", min=1, help="So many are chosen (10); each is there at two levels.")
    ] = None,
    turns: Annotated[float | None, typer.Option("--turns", help="Turns for which pairs learn (1.2e7).")] = None,
    response_turns: Annotated[
        float | None, typer.Option("--response-turns", help="Turns for which best responses learn (1e7).")
    ] = None,
    seed: SeedOption = 0,
    on: Annotated[
        str | None, typer.Option("--on", metavar="WHERE", help=f"Where the sets are made, a job for each: {PLACES}")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Small numbers: minutes on two cores, beginners.")] = False,
    learn: Annotated[list[str], typer.Option("--set", help="A setting of the learner: name=value; repeat it.")] = [],  # noqa: B006
) -> None:
    """Make a set of partners: train tastes and responses, choose the most different, train best responses to them.

    \b
    Examples:
      coplay partners make cramped_room --quick
      coplay partners make coordination_ring --choose 15 --out runs/ring
      coplay partners make cramped_room coordination_ring forced_coordination --on "ray?gpus=1" --out runs/partners
    """
    from coplay.report.pages.partner_set import name, write_partner_set
    from coplay.train.partner_set import PartnerSetSettings, make_partner_sets

    base = dict(QUICK) if quick else {}
    given = {"pairs": pairs, "choose": choose, "turns": turns, "response_turns": response_turns, "seed": seed}
    base |= {key: value for key, value in given.items() if value is not None}
    base["learn"] = {**base.get("learn", {}), **pairs_of(learn)}
    for folder, game, found in make_partner_sets(games, _folders(games, out), PartnerSetSettings(**base), on):
        for one in found.partners:
            note = "  (no ceiling: somebody does better)" if one.marked else ""
            print(
                f"run:{folder}/{one.file}  {name(one)}: {one.self_play[0]:.1f} alone, best {one.ceiling[0]:.1f}{note}"
            )
        words = ["coplay", "partners", "make", game, "--out", str(folder), *(["--quick"] if quick else [])]
        words += [word for key, value in given.items() if value for word in (f"--{key.replace('_', '-')}", str(value))]
        words += [word for pair in learn for word in ("--set", pair)]
        print(f"\n{write_partner_set(folder, found, shlex.join(words))}")


def _folders(games: list[str], out: str | None) -> list[Path]:
    names = ["".join("-" if letter in "?&=/:" else letter for letter in game) for game in games]
    if len(games) > 1:
        return [Path(out or "runs/partners", name) for name in names]
    return [Path(out or f"runs/partners-{names[0]}")]
