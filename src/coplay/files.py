"""Files: written whole or not at all, named by what is in them; tables as CSV."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any


def write_whole(path: str | Path, content: bytes | str) -> None:
    """Writes beside the final name first, down to the disk: whoever finds that name finds the whole content.

    A full disk or a kill leaves what was there before.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    try:
        with open(partial, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(partial, path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        reason = f"cannot write {path}: {error.strerror}. What was there before is untouched"
        raise OSError(error.errno, reason) from error


def digest_of(path: Path) -> str:
    """The SHA-256 of a file's content, or of all files of a folder with their names."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    whole = hashlib.sha256()
    for inner in sorted(inner for inner in path.rglob("*") if inner.is_file()):
        whole.update(f"{inner.relative_to(path).as_posix()}\0{digest_of(inner)}\n".encode())
    return whole.hexdigest()


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Lines end in a plain newline on every system; floats keep ten digits; None and NaN are empty cells."""
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows([_cell(value) for value in row] for row in rows)
    return lines.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.10g}"
    return value
