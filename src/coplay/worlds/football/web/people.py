"""People who play football in the browser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coplay.faces import Offer, Setting
from coplay.game import GameError
from coplay.worlds.football.actions import PASS, RUN, SHOOT, STAY, TACKLE
from coplay.worlds.football.people.draw import HALF_X, HALF_Y, SCALE, frame
from coplay.worlds.football.people.scene import TEAMS
from coplay.worlds.football.pitch import LENGTH, METRE

if TYPE_CHECKING:
    import numpy as np

    from coplay.rollouts.episode import Episodes
    from coplay.worlds.football.settings import Football
    from coplay.worlds.football.view import View

LONGEST = 1000  # steps of a half in a stranger's file

folder = Path(__file__).parent
invitation = "Join a pick-up match: mates and opponents whom you have never met."
looks_back = False  # what happens on the pitch is on the screen
idle = int(STAY)
_SETTINGS = (
    Setting("per_side", "Players to a side", (3, 2, 4, 5)),
    Setting("half", "Steps of a half", (200, 100, 400)),
    Setting("sight", "Sight in metres (0: all)", (0, 12)),
)
offers = (Offer("football", "Football", _SETTINGS, "supporter"),)


def about(game: Football) -> dict[str, Any]:
    return {
        "teams": TEAMS,
        "half": game.half,
        "steps": game.max_steps,
        "goal": LENGTH,  # how far the goals are from the middle, in units of a view
        "actions": {"stay": STAY, "run": RUN, "pass": PASS, "shoot": SHOOT, "tackle": TACKLE},
    }


def pictures(game: Football, names: Sequence[str]) -> dict[str, Any]:
    """The empty pitch; it has every player once, as `p0`, `p1`, …, and the ways they face, as `w0` to `w15`."""
    del game
    return {
        "picture": frame(names, '<g id="moving"></g>'),
        "scale": SCALE / METRE,
        "right": HALF_X,
        "top": -HALF_Y,
    }


def turn(view: View, names: Sequence[str], reader: bool = True) -> dict[str, Any]:
    raise NotImplementedError("a match does not look back")


def watchable(game: Football) -> bool:
    """Where players see only so far, whoever watches could see further for one of them."""
    return game.sight == 0


def public(game: Football, view: View, people: Sequence[int]) -> View:
    """Every player sees the whole pitch."""
    return view


def revealed(turn: dict[str, Any], neighbour: dict[str, Any]) -> dict[str, Any]:
    raise NotImplementedError("a match does not look back")


def check_stranger(settings: Mapping[str, Any]) -> None:
    """No setting of football names a file; a match of any length could be asked for."""
    half = settings.get("half") or 0
    if not str(half).isdecimal() or int(half) > LONGEST:
        raise GameError(
            f"half={str(half)[:40]!r}: a half here has at most {LONGEST} steps; "
            "`coplay replay FILE` shows the match on your own machine."
        )


def export(path: Path, episodes: Episodes, seats: np.ndarray, participants: np.ndarray) -> None:
    """Matches are written as episodes."""
