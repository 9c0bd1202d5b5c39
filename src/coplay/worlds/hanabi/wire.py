"""How a view of Hanabi travels to a player elsewhere."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from coplay.worlds.hanabi.people.table import read_view

if TYPE_CHECKING:
    from coplay.worlds.hanabi.view import View

flags = True


def record(view: View) -> dict[str, Any]:
    """The table as the seat sees it, in plain values."""
    return dataclasses.asdict(dataclasses.replace(read_view(view), game=None))  # pyright: ignore[reportArgumentType]
