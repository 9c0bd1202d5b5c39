"""Pick-up football: two teams of two to five, the world of the drop-in player challenge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy
from coplay.registry import World

if TYPE_CHECKING:
    from coplay.worlds.football.rules import State
    from coplay.worlds.football.settings import Football
    from coplay.worlds.football.view import View

_HERE = "coplay.worlds.football"
_ROLES = f"{_HERE}.bots.roles"
WORLD = World(
    name="football",
    games={"football": f"{_HERE}.settings:Football"},
    agents={
        "chaser": f"{_ROLES}:chaser",
        "supporter": f"{_ROLES}:supporter",
        "intruder": f"{_ROLES}:intruder",
        "keeper": f"{_ROLES}:keeper",
        "passer": f"{_ROLES}:passer",
        "marker": f"{_ROLES}:marker",
        "striker": f"{_ROLES}:striker",
        "winger": f"{_ROLES}:winger",
        "sweeper": f"{_ROLES}:sweeper",
        "anchor": f"{_ROLES}:anchor",
    },
)
__all__ = ["WORLD", "Football", "State", "View"]

_PLACES = {
    "Football": f"{_HERE}.settings",
    "State": f"{_HERE}.rules",
    "View": f"{_HERE}.view",
}
__getattr__, __dir__ = lazy(__name__, _PLACES)
