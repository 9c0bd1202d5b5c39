"""`coplay pool list | show | verify`; nothing heavy is imported before a command runs."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

app = typer.Typer(help="The trained partners that come with the package.", no_args_is_help=True)


@app.command("list")
def list_pool() -> None:
    """One line per partner.

    \b
    Examples:
      coplay pool list
    """
    from coplay.pool.pool import entries

    print(f"{'id':<34} {'game':<10} {'players':>7} {'kind':<14} {'self-play':>16} {'best response':>16}")
    for one in entries().values():
        print(
            f"{one.id:<34} {one.game:<10} {one.players:>7} {one.kind:<14} "
            f"{_figure(one.self_play):>16} {_figure(one.best_response):>16}"
        )


@app.command()
def show(name: Annotated[str, typer.Argument(help="An id of `coplay pool list`.")]) -> None:
    """Everything known about one partner.

    \b
    Examples:
      coplay pool show hanabi-2p-ippo-0
    """
    from coplay.pool.pool import entry

    one = entry(name)
    measured = {"self_play": _in_full(one.self_play), "best_response": _in_full(one.best_response)}
    for field, value in (dataclasses.asdict(one) | measured | {"turns": f"{one.turns:,.0f}"}).items():
        print(f"{field:<14} {value}")


@app.command()
def verify() -> None:
    """Check every file against its recorded hash.

    \b
    Examples:
      coplay pool verify
    """
    from coplay.pool.pool import entries
    from coplay.pool.pool import verify as check

    for one in entries().values():
        check(one)
    print(f"{len(entries())} partners, every file as recorded")


def _in_full(found: tuple[float, float, int] | None) -> str:
    if found is None:
        return "not trained yet"
    mean, error, games = found
    interval = f"{mean - 1.96 * error:.2f} to {mean + 1.96 * error:.2f}"
    return f"{mean:.2f} ± {error:.2f} (standard error), {games:,} games, 95 % interval {interval}"


def _figure(found: tuple[float, float, int] | None) -> str:
    return "–" if found is None else f"{found[0]:.2f} ± {found[1]:.2f}"
