"""A cook who does every job, nearest first: onions into pots, dishes to soups, soups to the serving place.

It never hands anything over, so in a split kitchen it is as good as what its own side can do.
"""

from __future__ import annotations

from coplay.game import Game
from coplay.worlds.overcooked.bots.cook import Cook
from coplay.worlds.overcooked.bots.scene import onion_kitchen


def greedy_cook(game: Game) -> Cook:
    """The cook, ready for `game`."""
    return Cook(onion_kitchen("greedy-cook", game), "greedy-cook")
