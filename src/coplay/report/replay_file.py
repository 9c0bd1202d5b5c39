"""One game out of a file of any format that we read, to be looked at."""

from __future__ import annotations

from pathlib import Path

from coplay.data import DataError
from coplay.data.formats import read_all
from coplay.rollouts.episode import Episodes


def read_game(path: str | Path, index: int) -> Episodes:
    """Game `index` of a file, alone; it is checked when it is played."""
    left = index
    for part in read_all(path, check=False):
        if 0 <= left < len(part):
            return part[left : left + 1]
        left -= len(part)
    raise DataError(f"{path}: there is no game {index}; the file has games 0 to {index - left - 1}.")
