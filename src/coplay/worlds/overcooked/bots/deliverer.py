"""A cook who fetches dishes, plates and serves, and never touches an onion: useless alone, half of a good team."""

from __future__ import annotations

from coplay.game import Game
from coplay.worlds.overcooked.bots.cook import Cook
from coplay.worlds.overcooked.bots.scene import onion_kitchen


def deliverer(game: Game) -> Cook:
    """The cook, ready for `game`."""
    return Cook(onion_kitchen("deliverer", game), "deliverer", onions=False)
