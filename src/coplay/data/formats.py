"""Files of recorded games, in coplay's own format and in those that worlds bring: one door for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from coplay.data import DataError
from coplay.data.checking import Problem, verify
from coplay.data.joining import join
from coplay.registry import attribute, of_worlds
from coplay.rollouts.episode import Episodes
from coplay.rollouts.episode_file import is_episode_file, load, save
from coplay.specs import unknown


class Format(NamedTuple):
    """A way to write games down."""

    name: str
    title: str  # of what a file holds: "AH2AC2 games"
    fits: Callable[[Path], bool]  # is this file or folder of it?
    read: Callable[[Path, bool], Sequence[Episodes]]  # (path, check): one set per game that was played
    write: Callable[[Path, Episodes], None] | None = None
    check: Callable[[Episodes], list[Problem]] = verify


def _read_episodes(path: Path, check: bool) -> list[Episodes]:
    episodes = load(path)
    if check:
        refuse(verify(episodes), str(path), len(episodes))
    return [episodes]


EPISODES = Format(
    "episodes",
    "coplay episodes",
    fits=lambda path: path.is_file() and is_episode_file(path),
    read=_read_episodes,
    write=lambda path, episodes: save(episodes, path),
)


def formats() -> dict[str, Format]:
    """Every format by name; the first that fits a file reads it."""
    brought = {name: attribute(target, DataError) for name, target in of_worlds("formats").items()}
    return {EPISODES.name: EPISODES, **brought}


def format_of(path: str | Path) -> Format:
    """The format of a file or folder, by what lies there."""
    path = Path(path)
    if not path.exists():
        raise DataError(f"{path}: there is no such file or folder.")
    for one in formats().values():
        if one.fits(path):
            return one
    titles = ", ".join(one.title for one in formats().values())
    raise DataError(f"{path}: this is none of the kinds of games that can be read: {titles}.")


def read_all(path: str | Path, check: bool = True) -> list[Episodes]:
    """The games of a file or folder, one set per game that was played; `check` plays them all again."""
    return list(format_of(path).read(Path(path), check))


def read(path: str | Path, check: bool = True) -> Episodes:
    """The games of a file that holds one kind of game."""
    found = read_all(path, check)
    if len({one.game for one in found}) != 1:
        kinds = ", ".join(dict.fromkeys(str(one.game) for one in found))
        raise DataError(f"{path}: it holds games that do not belong together ({kinds}); read them one by one.")
    return join(found)


def write(path: str | Path, episodes: Episodes, name: str) -> Format:
    """Writes games in a format."""
    known = {one.name: one for one in formats().values() if one.write is not None}
    if name not in known:
        raise DataError(unknown("format", name, known))
    chosen = known[name]
    assert chosen.write is not None
    chosen.write(Path(path), episodes)
    return chosen


def refuse(problems: Sequence[Problem], source: str, games: int) -> None:
    """Raises a DataError that names the first game that does not replay."""
    if problems:
        more = f" ({len(problems) - 1} more of {games} games do not replay either.)" if len(problems) > 1 else ""
        raise DataError(f"{source}: {problems[0]}{more}")
