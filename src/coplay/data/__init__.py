"""Games that were played: reading, checking, joining and splitting them, whatever their format and game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy

if TYPE_CHECKING:
    from coplay.data.checking import verify
    from coplay.data.formats import read, read_all, write
    from coplay.data.joining import folds, hold_out, join, split
    from coplay.data.recording import record
    from coplay.data.summary import statistics

_PLACES = {
    "folds": "coplay.data.joining",
    "hold_out": "coplay.data.joining",
    "join": "coplay.data.joining",
    "read": "coplay.data.formats",
    "read_all": "coplay.data.formats",
    "record": "coplay.data.recording",
    "split": "coplay.data.joining",
    "statistics": "coplay.data.summary",
    "verify": "coplay.data.checking",
    "write": "coplay.data.formats",
}
__all__ = [
    "DataError",
    "folds",
    "hold_out",
    "join",
    "read",
    "read_all",
    "record",
    "split",
    "statistics",
    "verify",
    "write",
]
__getattr__, __dir__ = lazy(__name__, _PLACES)


class DataError(ValueError):
    """A recorded game cannot be read or written; the message names the game, the turn, the value and the remedy."""
