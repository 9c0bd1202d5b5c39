"""Work that writes folders, done where others play: a training run, a set of partners.

A worker that sees the folder writes into it. So work that goes on where it was stopped does so after its worker was
lost. One that does not see it, on a node without the disk, writes into a folder of its own, whose files then travel.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from coplay.files import write_whole
from coplay.rollouts.where import Where

FolderWork = Callable[[Path], Any]  # no lambda: it has to travel
MARK = ".shared"  # by which a worker knows that it is the same folder
TOLD = {".json", ".jsonl", ".csv"}  # texts that may name the folder in which they were written


class Written(NamedTuple):
    """What a worker sends back."""

    name: str
    found: Any
    files: dict[str, bytes]  # that are not where they belong yet


def write_folders(place: Where, home: Path, works: Sequence[tuple[str, FolderWork]]) -> Iterator[tuple[str, Any]]:
    """Every work writes a folder of its name in `home` (or into `home` itself: "."); gives the names of those that are
    done and what they came to, as they end."""
    home.mkdir(parents=True, exist_ok=True)
    token = uuid.uuid4().hex
    (home / MARK).write_text(token)
    tasks = [partial(_write, str(home.absolute()), token, name, work) for name, work in works]
    try:
        for name, found, files in place.share(tasks):
            for file, contents in files.items():
                (home / name / file).parent.mkdir(parents=True, exist_ok=True)
                write_whole(home / name / file, contents)
            yield name, found
    finally:
        (home / MARK).unlink(missing_ok=True)


def _write(home: str, token: str, name: str, work: FolderWork) -> Written:
    mark = Path(home, MARK)
    if mark.is_file() and mark.read_text() == token:
        # Named as whoever asked would name it: run folders tell the command that makes them again.
        near = os.path.relpath(home) if Path(home).is_relative_to(Path.cwd()) else home
        return Written(name, work(Path(near, name)), {})
    with tempfile.TemporaryDirectory(prefix="coplay-") as folder:
        mine = Path(folder, name)
        found = work(mine)
        files = {str(file.relative_to(mine)): file for file in sorted(mine.rglob("*")) if file.is_file()}
        return Written(name, found, {place: _named(file, folder, home) for place, file in files.items()})


def _named(file: Path, folder: str, home: str) -> bytes:
    """What it holds, with the folder in which it will lie."""
    contents = file.read_bytes()
    return contents.replace(folder.encode(), home.encode()) if file.suffix in TOLD else contents
