"""The SHA-256 of files and folders, so that a result can name what it was made from."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digest_of(path: Path) -> str:
    """Of a file's content, or of all files of a folder with their names."""
    if path.is_file():
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    whole = hashlib.sha256()
    for inner in sorted(inner for inner in path.rglob("*") if inner.is_file()):
        whole.update(f"{inner.relative_to(path).as_posix()}\0{digest_of(inner)}\n".encode())
    return whole.hexdigest()
