"""`coplay pool list | show | verify`; nothing heavy is imported before a command runs."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

app = typer.Typer(help="The trained partners that are installed.", no_args_is_help=True)


@app.command("list")
def list_pool() -> None:
    """One line per partner, and one per set of partners.

    \b
    Examples:
      coplay pool list
    """
    from coplay.pool.pool import entries
    from coplay.pool.sets import read_partner_set, set_folders
    from coplay.pool.sources import need

    need("coplay pool list")
    print(f"{'id':<30} {'kind':<12} {'self-play':>16} {'best response':>16}  game")
    for one in entries().values():
        figures = f"{_figure(one.self_play):>16} {_figure(one.best_response):>16}"
        print(f"{one.id:<30} {one.kind:<12} {figures}  {one.game}")
    for name, folder in set_folders().items():
        found = read_partner_set(folder)
        print(f"set:{name:<26} {len(found.partners)} partners that prefer different things  {found.game}")


@app.command()
def show(name: Annotated[str, typer.Argument(help="An id of `coplay pool list`.")]) -> None:
    """Everything known about one partner, or who is in a set.

    \b
    Examples:
      coplay pool show hanabi-2p-ippo-0
      coplay pool show set:zsc-coordination_ring
    """
    from coplay.pool.pool import entry
    from coplay.pool.sets import PREFIX, set_folders

    if name.startswith(PREFIX) or name in set_folders():
        _show_set(PREFIX + name.removeprefix(PREFIX))
        return
    one = entry(name)
    measured = {
        "self_play": _in_full(one.self_play) if one.self_play else "even, as copies of anybody are in two sides",
        "best_response": _in_full(one.best_response),
    }
    for field, value in (dataclasses.asdict(one) | measured | {"turns": f"{one.turns:,.0f}"}).items():
        if value != "":
            print(f"{field:<14} {value}")


def _show_set(name: str) -> None:
    """A line for each of its partners."""
    from coplay.pool.sets import PREFIX, find_set, read_partner_set

    found = read_partner_set(find_set(name.removeprefix(PREFIX)))
    wide = max(len("prefers"), *(len(one.wish) for one in found.partners))
    print(f"{found.game}\n{'partner':<12} {'prefers':<{wide}} {'level':<6} {'its copies':>11} {'best response':>16}")
    for one in found.partners:
        figures = f"{one.self_play[0]:>11.1f} {_figure(one.ceiling):>16}"
        print(f"{one.file.partition('.')[0]:<12} {one.wish:<{wide}} {one.level:<6} {figures}")


@app.command()
def verify() -> None:
    """Check every file against its recorded hash.

    \b
    Examples:
      coplay pool verify
    """
    from coplay.pool.pool import entries
    from coplay.pool.pool import verify as check
    from coplay.pool.sets import set_folders, verify_set
    from coplay.pool.sources import need

    need("coplay pool verify")
    for one in entries().values():
        check(one)
    files = sum(verify_set(name) for name in set_folders())
    print(f"{len(entries())} partners and {len(set_folders())} sets ({files} files), every file as recorded")


def _in_full(found: tuple[float, float, int] | None) -> str:
    if found is None:
        return "not trained yet"
    mean, error, games = found
    interval = f"{mean - 1.96 * error:.2f} to {mean + 1.96 * error:.2f}"
    return f"{mean:.2f} ± {error:.2f} (standard error), {games:,} games, 95 % interval {interval}"


def _figure(found: tuple[float, float, int] | None) -> str:
    return "–" if found is None else f"{found[0]:.2f} ± {found[1]:.2f}"
