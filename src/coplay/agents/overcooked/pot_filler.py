"""A cook who only puts onions into pots: useless alone, half of a good team."""

from __future__ import annotations

from coplay.agents.overcooked.cook import Cook
from coplay.agents.overcooked.scene import onion_kitchen
from coplay.games.game import Game


def pot_filler(game: Game) -> Cook:
    """The cook, ready for `game`."""
    return Cook(onion_kitchen("pot-filler", game), "pot-filler", soups=False)
