"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


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
