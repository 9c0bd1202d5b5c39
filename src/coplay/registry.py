"""Names and what they stand for: games, agents, recipes, measures.

They come from three places: the worlds and recipes of this package, packages that are installed beside it (entry points
`coplay.games`, `coplay.agents`, `coplay.recipes`, `coplay.measures`), and files (`file:levers.py:Levers`). A name is a
text "module:attribute" until somebody asks for it, so that listing names loads nothing.
"""

from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import pkgutil
import sys
import traceback
import zlib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from coplay.specs import did_you_mean


@dataclasses.dataclass(frozen=True)
class World:
    """What a folder of `coplay.worlds` brings, by name; every value is "module:attribute"."""

    name: str  # the family that its games and agents share
    games: Mapping[str, str]
    agents: Mapping[str, str] = dataclasses.field(default_factory=dict)
    loaders: Mapping[str, str] = dataclasses.field(default_factory=dict)  # prefix of an agent's spec -> its reader
    formats: Mapping[str, str] = dataclasses.field(default_factory=dict)  # of recorded games
    datasets: Mapping[str, str] = dataclasses.field(default_factory=dict)  # that `coplay data fetch` knows
    recorded: Mapping[str, str] = dataclasses.field(
        default_factory=dict
    )  # sets of games that come with the pool: (players, part) -> the file
    guides: Mapping[str, str] = dataclasses.field(default_factory=dict)  # texts that tell how to play
    demo: str = ""  # what `coplay demo` runs
    places: str = ""  # a function: a name -> the game's settings that it stands for, or None (a kitchen's name)


@cache
def worlds() -> dict[str, World]:
    """The worlds of this package: every folder of `coplay.worlds` that declares one."""
    import coplay.worlds

    found = {}
    for module in pkgutil.iter_modules(coplay.worlds.__path__):
        declared = importlib.import_module(f"coplay.worlds.{module.name}")
        if isinstance(getattr(declared, "WORLD", None), World):
            found[declared.WORLD.name] = declared.WORLD
    return found


def of_worlds(part: str) -> dict[str, str]:
    """What all worlds bring of one kind: games, agents, loaders, formats, datasets, recorded."""
    return {name: target for world in worlds().values() for name, target in getattr(world, part).items()}


@cache
def plugins(group: str) -> dict[str, str]:
    """What installed packages add, by name."""
    return {point.name: point.value for point in entry_points(group=group)}


def attribute(target: str, error: Callable[[str], Exception]) -> Any:
    """What "module:attribute" names; a missing optional package is explained by `error`."""
    module, _, name = target.partition(":")
    try:
        loaded = importlib.import_module(module)
        return getattr(loaded, name) if name else loaded
    except (ImportError, AttributeError) as problem:
        explained = isinstance(problem, ImportError) and problem.name is None  # the module itself says what it needs
        raise error(str(problem) if explained else f"{target}: {problem}") from problem


def from_file(
    place: str, error: Callable[[str], Exception], wanted: Callable[[Any], bool], what: str, needs: str
) -> Any:
    """The class (or function) of PATH:NAME in somebody's own file.

    `wanted` tells whether a class can be meant, `needs` in words what such a class has: "an act method; …".
    """
    path_text, separator, name = place.rpartition(":")
    if not separator or not path_text:
        raise error(f"file:{place}: write file:PATH:CLASS, for example file:my_{what}.py:My{what.capitalize()}.")
    module = module_from_file(path_text, error)
    found = {key: value for key, value in vars(module).items() if inspect.isclass(value) and wanted(value)}
    if name in found:
        return found[name]
    other = getattr(module, name, None)
    if other is not None and not inspect.isclass(other) and callable(other):
        return other
    if other is not None:
        raise error(f"{path_text}: {name} has no {needs}.")
    own = [key for key, value in found.items() if value.__module__ == module.__name__]
    there = f"the {what}s in it are {', '.join(own)}" if own else f"no class in it has {needs.partition(';')[0]}"
    raise error(f"{path_text}: there is no class {name!r}; {there}.{did_you_mean(name, own)}")


def module_from_file(shown: str, error: Callable[[str], Exception]) -> Any:
    """Somebody's file, imported anew when it has changed."""
    if not Path(shown).is_file():
        raise error(f"file:{shown}: there is no file {shown}; the path is relative to {Path.cwd()}.")
    path = Path(shown).resolve()
    stamp = path.stat().st_mtime_ns
    name = f"coplay_user_{path.stem}_{zlib.crc32(str(path).encode()):08x}"
    loaded = sys.modules.get(name)
    if loaded is not None and getattr(loaded, "_coplay_stamp", None) == (str(path), stamp):
        return loaded
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise error(f"{shown} is not a Python file; its name must end in .py.")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # so that its classes can be copied and pickled
    try:
        found.loader.exec_module(module)
    except SyntaxError as problem:
        raise error(f"{shown}, line {problem.lineno}: syntax error: {problem.msg}; fix that line.") from problem
    except (Exception, SystemExit) as problem:  # the user's module may raise anything
        raise error(f"{shown}: importing it failed{where_in(problem, path)}: {say(problem)}") from problem
    module._coplay_stamp = (str(path), stamp)  # pyright: ignore[reportAttributeAccessIssue]
    return module


def where_in(problem: BaseException, path: Path) -> str:
    """The line of a file where it happened, if any."""
    frames, here = traceback.extract_tb(problem.__traceback__), path.resolve()
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == here]
    return f" at line {lines[-1]}" if lines else ""


def say(problem: BaseException) -> str:
    return f"{type(problem).__name__}: {problem}"
