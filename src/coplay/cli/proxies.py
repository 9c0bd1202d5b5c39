"""`coplay proxies …`; nothing heavy is imported before it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from coplay.cli.options import GAME, GameOption, PlayersOption, SeedOption, make_game
from coplay.cli.train import pairs_of

app = typer.Typer(help="Proxies of a community of players.", no_args_is_help=True, rich_markup_mode=None)


@app.callback()
def _group() -> None:
    """Keeps `make` a command of its own."""


@app.command()
def make(
    out: Annotated[str, typer.Option("--out", help="The folder; the same command goes on with what is there.")],
    who: Annotated[list[str] | None, typer.Argument(help="Whose games are cloned; by default the community.")] = None,
    game: GameOption = GAME,
    players: PlayersOption = None,
    games: Annotated[int, typer.Option("--games", min=1, help="Games to record and clone.")] = 101_096,
    kl: Annotated[
        str, typer.Option("--kl", help="How near each proxy stays to its clone; one proxy each.")
    ] = "0.3,0.2",
    seed: SeedOption = 0,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Processes that record games.")] = 1,
    judged: Annotated[
        int, typer.Option("--judged", min=1, help="Games of self-play that tell how good they are.")
    ] = 10_000,
    clone: Annotated[list[str], typer.Option("--clone", help="A setting of `bc`: name=value; repeat it.")] = [],  # noqa: B006
    learn: Annotated[list[str], typer.Option("--learn", help="A setting of `hdr_ippo`: name=value; repeat it.")] = [],  # noqa: B006
) -> None:
    """Make new proxies: record games, clone them, learn on near the clones. Needs a GPU for more than a try.

    \b
    With another --seed they are siblings that nobody has met: what a host of a challenge wants to keep hidden.

    \b
    Examples:
      coplay proxies make --players 2 --jobs 16 --seed 7 --out runs/hidden-2p
      coplay proxies make --players 3 --games 46525 --kl 0.1,0.15 --jobs 16 --seed 7 --out runs/hidden-3p
    """
    from coplay.train.proxies import Proxies, make_proxies
    from coplay.train.settings import numbers

    settings = Proxies(
        who=tuple(who or ["community"]),
        games=games,
        kl=tuple(numbers(kl, "--kl")),
        judged=judged,
        seed=seed,
        clone=pairs_of(clone),
        learn=pairs_of(learn),
    )
    for one in make_proxies(make_game(game, players), out, settings, jobs):
        print(f"run:{out}/{one.file}  (clone's weight {one.kl:g})")
        print(f"  self-play {one.mean:.2f}, {one.zeros:.2%} at zero; its clone {one.clone_mean:.2f}")
        foreseen = f"{one.cross_entropy:.3f}; its clone {one.clone_cross_entropy:.3f}"
        print(f"  held-out cross-entropy per seat and turn {foreseen}")
