"""Which files an agent is made of, by content: a result names the weights it was measured with."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from coplay.agents.spec import loaders
from coplay.files import digest_of
from coplay.pool.pool import entry
from coplay.pool.sets import PREFIX, member_file
from coplay.specs import Spec, parse

MISSING = "missing"


def file_hashes(specs: Iterable[str]) -> dict[str, str]:
    """spec -> "sha256:…" of its file, or of all files of its folder; built-in agents have none."""
    found = {}
    for spec in specs:
        read = _inmost(spec)
        if read.prefix == "pool":
            found[spec] = f"sha256:{entry(read.place).sha256}"
        elif path := _path(read.prefix, read.place):
            found[spec] = f"sha256:{digest_of(path)}"
    return found


def contents(spec: str) -> dict[str, str]:
    """Everything that an agent (or a game) of this name is made of and that can change behind it: what -> SHA-256.

    A Python file counts with the files beside it, or in the working folder, that it imports. What a program reads when
    it runs is its own affair; weights are counted where a spec names them (`run:`, `pool:`, `set:`).
    """
    read = _inmost(spec)
    if read.prefix == "pool":
        return {f"pool:{read.place}": entry(read.place).sha256}
    path = member_file(read.place) if read.prefix == PREFIX.rstrip(":") else _path(read.prefix, read.place)
    if path is None:
        return {}
    files = _with_imports(path) if path.suffix == ".py" else [path]
    return {str(file): digest(file) for file in files}


def _inmost(spec: str) -> Spec:
    """The agent that another one is made of: of `search:unstuck:run:FILE` it is `run:FILE`."""
    read = parse(spec)
    inner = parse(read.place) if read.prefix in loaders() else read
    return _inmost(read.place) if inner is not read and inner.prefix in loaders() else read


def digest(path: Path) -> str:
    """The SHA-256 of a file or folder; "missing" where there is none. A file that was not written to is read once."""
    if path.is_file():
        status = path.stat()
        return _digest(path.resolve(), status.st_mtime_ns, status.st_size)
    return digest_of(path) if path.exists() else MISSING


@lru_cache(maxsize=1024)
def _digest(path: Path, changed: int, size: int) -> str:
    del changed, size  # only that a file written anew is read anew
    return digest_of(path)


def _path(prefix: str, place: str) -> Path | None:
    """The file or folder of a spec, if it names one."""
    if not prefix or prefix not in loaders():
        return None
    named = Path(place), Path(place.rpartition(":")[0] or "\0")  # file:PATH:CLASS
    return next((path for path in named if "\0" not in str(path) and path.exists()), None)


def _with_imports(file: Path) -> list[Path]:
    """A Python file and those of its owner's that it imports."""
    found, waiting = [], [file]
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.append(path)
            waiting += _imported(path)
    return sorted(found)


def _imported(file: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(file.read_bytes())
    except SyntaxError:  # whoever loads it is told
        return
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{one.name}" for one in node.names)]
        for name in names:
            place = name.replace(".", "/")
            there = (
                folder / end for folder in (file.parent, Path()) for end in (f"{place}.py", f"{place}/__init__.py")
            )
            yield from (path for path in there if path.is_file())
