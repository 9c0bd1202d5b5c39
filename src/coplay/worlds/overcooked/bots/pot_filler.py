"""A cook who only puts onions into pots: useless alone, half of a good team."""

from __future__ import annotations

from coplay.game import Game
from coplay.worlds.overcooked.bots.cook import Cook
from coplay.worlds.overcooked.bots.scene import onion_kitchen


def pot_filler(game: Game) -> Cook:
    """The cook, ready for `game`."""
    return Cook(onion_kitchen("pot-filler", game), "pot-filler", soups=False)
