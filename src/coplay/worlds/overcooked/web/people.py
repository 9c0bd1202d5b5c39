"""People who cook in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coplay.faces import Offer, Setting
from coplay.game import GameError
from coplay.worlds.overcooked.kitchen.layouts import library
from coplay.worlds.overcooked.rules import STAY
from coplay.worlds.overcooked.web.pictures import drawn

if TYPE_CHECKING:
    import numpy as np

    from coplay.rollouts.episode import Episodes
    from coplay.worlds.overcooked import Overcooked

LONGEST = 1000  # steps of a kitchen in a stranger's file

folder = Path(__file__).parent
invitation = "Work in a kitchen with a cook who may not think as you do."
looks_back = False  # what happened in a kitchen is on the screen
idle = int(STAY)
_KITCHENS = tuple(name for name, kitchen in library().items() if len(kitchen.starts) == 2)
_SETTINGS = (
    Setting("layout", "Kitchen", ("cramped_room", *(name for name in _KITCHENS if name != "cramped_room"))),
    Setting("horizon", "Steps", (200, 400)),
    Setting("chefs", "Cooks", (2, 3, 4)),
)
offers = (Offer("overcooked", "Overcooked", _SETTINGS, "hand-over-cook"),)


def about(game: Overcooked) -> dict[str, Any]:
    return {"horizon": game.horizon}


def pictures(game: Overcooked, names: Sequence[str]) -> dict[str, Any]:
    return drawn(game, tuple(names))


def turn(view: Any, names: Sequence[str], reader: bool = True) -> dict[str, Any]:
    raise NotImplementedError("a kitchen does not look back")


def watchable(game: Overcooked) -> bool:
    return True


def public(game: Overcooked, view: Any, people: Sequence[int]) -> Any:
    """Every cook sees the whole kitchen."""
    return view


def revealed(turn: dict[str, Any], neighbour: dict[str, Any]) -> dict[str, Any]:
    raise NotImplementedError("a kitchen does not look back")


def check_stranger(settings: Mapping[str, Any]) -> None:
    """Kitchens and their starts may be named by files of this machine: not by strangers."""
    layout, known = settings.get("layout"), {n for one in library().values() for n in (one.name, *one.aliases)}
    remedy = "`coplay replay FILE` shows it on your own machine"
    if layout is not None and layout not in known:
        raise GameError(f"{str(layout)[:40]!r} is not one of the kitchens {', '.join(library())}; {remedy}.")
    if settings.get("starts"):
        raise GameError(f"starts={str(settings['starts'])[:40]!r} names a file of this machine; {remedy}.")
    if _number(settings.get("horizon"), 0) > LONGEST or _number(settings.get("chefs", settings.get("players")), 2) > 4:
        raise GameError(f"a kitchen here has at most {LONGEST} steps and 4 chefs; {remedy}.")


def _number(value: Any, usual: int) -> int:
    """A setting as a number; what is none is refused when the game is made."""
    if value in (None, "none"):
        return usual
    try:
        return int(value)
    except (TypeError, ValueError):
        return LONGEST + 1


def export(path: Path, episodes: Episodes, seats: np.ndarray, participants: np.ndarray) -> None:
    """Kitchens are written as episodes."""
