"""Where pools are: packages of data that are installed beside this one.

A pool is a package with some of these folders in it:

| folder | what it holds |
|---|---|
| `agents` | a trained partner each: NAME.safetensors, and NAME.toml that says who it is (`pool`) |
| `ceilings` | what can be scored with partners that are no agents of a pool, such as the scripted ones (`ceilings`) |
| `reference` | tables of who scores what with whom, one per game (`reference`) |
| `sets` | lists of partners with a name (`sets`) |
| `recordings` | recorded games |

It is found by an entry point of the group `coplay.pools` whose value is the name of the package. Ours is also found by
its name alone, so that a checkout on the path is enough. Several pools are read as one.
"""

from __future__ import annotations

import importlib
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from coplay.player import AgentError

GROUP = "coplay.pools"
OURS = "coplay_pool"
HOW_TO_GET = "`pip install coplay-pool`, or `pip install ./pool` in a checkout"


@cache
def folders() -> tuple[Path, ...]:
    """The folder of every pool, ours first."""
    named = sorted({point.value for point in entry_points(group=GROUP)} - {OURS})
    found = [*_ours(), *(_folder(package) for package in named)]
    return tuple(dict.fromkeys(found))


def _ours() -> list[Path]:
    try:
        return [_folder_of(OURS)]
    except ModuleNotFoundError:
        return []


def _folder(package: str) -> Path:
    try:
        return _folder_of(package)
    except ImportError as error:
        raise AgentError(
            f"the pool {package} is announced by an installed package, but cannot be imported ({error}); "
            "install that package again, or uninstall it."
        ) from error


def _folder_of(package: str) -> Path:
    return Path(importlib.import_module(package).__path__[0]).resolve()


def missing() -> str:
    """What to say where trained partners would be of use and no pool is there; "" where one is."""
    return "" if folders() else f"The trained partners are not installed: {HOW_TO_GET}."


def need(what: str) -> None:
    """Raises where there is no pool at all; `what` is what it is needed for."""
    if not folders():
        raise AgentError(f"{what}: the pool of trained partners is not installed. Get it with {HOW_TO_GET}.")


def files(folder: str, ending: str) -> dict[str, Path]:
    """The files of one kind in all pools, by their name without the ending. A name may stand in one pool only."""
    found: dict[str, Path] = {}
    for pool in folders():
        for path in sorted((pool / folder).glob(f"*{ending}"), key=lambda path: path.name.removesuffix(ending)):
            name = path.name.removesuffix(ending)
            if name in found:
                raise AgentError(
                    f"two pools have {name!r} in {folder}: {found[name].parents[1]} and {pool}; "
                    "uninstall one of them, or give one of the two another name."
                )
            found[name] = path
    return found
