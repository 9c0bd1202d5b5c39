"""Recorded games by what people call them: the path of a file, or a set that comes with the pool."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from coplay.data import DataError
from coplay.registry import attribute, of_worlds
from coplay.specs import parse, unknown

PART = "val"  # of a set, where nobody names another


def recorded_file(text: str, players: int | None = None, part: str = PART) -> Path:
    """Where the games lie: a file or folder, or a set such as `hgroup` or `hgroup?part=train`, of 2 players if nobody
    says otherwise."""
    if Path(text).exists():
        return Path(text)
    sets = of_worlds("recorded")
    try:
        named = parse(text)
    except ValueError as error:
        raise DataError(str(error)) from error
    if named.name not in sets:
        raise DataError(f"{text}: no such file, and the challenge sets are {', '.join(sets)}.")
    if odd := set(named.options) - {"part"}:
        raise DataError(f"{text}: {unknown('option', min(odd), ['part'])}")
    find: Callable[[int, str], Path] = attribute(sets[named.name], DataError)
    return find(players or 2, named.options.get("part", part))
