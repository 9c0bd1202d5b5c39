"""A cook for split kitchens: puts what its side cannot use on a shared counter, and takes from there what it needs.

Where all chefs can walk to each other it plays as the greedy cook.
"""

from __future__ import annotations

from coplay.game import Game
from coplay.worlds.overcooked.bots.cook import Cook
from coplay.worlds.overcooked.bots.scene import onion_kitchen


def hand_over_cook(game: Game) -> Cook:
    """The cook, ready for `game`."""
    return Cook(onion_kitchen("hand-over", game), "hand-over", hands_over=True)
