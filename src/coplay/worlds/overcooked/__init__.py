"""Overcooked, step for step as Overcooked-AI and ZSC-Eval play it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from coplay.lazy import lazy
from coplay.registry import World

if TYPE_CHECKING:
    from coplay.worlds.overcooked.rules import State
    from coplay.worlds.overcooked.settings import Overcooked
    from coplay.worlds.overcooked.view import View

_HERE = "coplay.worlds.overcooked"
WORLD = World(
    name="overcooked",
    games={"overcooked": f"{_HERE}.settings:Overcooked"},
    agents={
        "stay": f"{_HERE}.bots.stay:Stay",
        "greedy-cook": f"{_HERE}.bots.greedy_cook:greedy_cook",
        "pot-filler": f"{_HERE}.bots.pot_filler:pot_filler",
        "deliverer": f"{_HERE}.bots.deliverer:deliverer",
        "hand-over-cook": f"{_HERE}.bots.hand_over_cook:hand_over_cook",
        "theory-of-mind": f"{_HERE}.bots.theory_of_mind.agent:TheoryOfMind",
    },
    loaders={
        "carroll": f"{_HERE}.bots.carroll:load_carroll",
        "jaxaht": f"{_HERE}.bots.jaxaht:load_jaxaht",
        "zsc-eval": f"{_HERE}.bots.zsc_eval:load_zsc_eval",
        "unstuck": f"{_HERE}.bots.unstuck:load_unstuck",
    },
    formats={"overcooked": f"{_HERE}.recordings:TRIALS"},
    places=f"{_HERE}.kitchen.layouts:place_of",
    guides={"rules": f"{_HERE}.people.guides:RULES"},
)
__all__ = ["WORLD", "Overcooked", "State", "View"]

_PLACES = {
    "Overcooked": f"{_HERE}.settings",
    "State": f"{_HERE}.rules",
    "View": f"{_HERE}.view",
}
__getattr__, __dir__ = lazy(__name__, _PLACES)
