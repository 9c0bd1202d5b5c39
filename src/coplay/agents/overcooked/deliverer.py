"""A cook who fetches dishes, plates and serves, and never touches an onion: useless alone, half of a good team."""

from __future__ import annotations

from coplay.agents.overcooked.cook import Cook
from coplay.agents.overcooked.scene import onion_kitchen
from coplay.games.game import Game


def deliverer(game: Game) -> Cook:
    """The cook, ready for `game`."""
    return Cook(onion_kitchen("deliverer", game), "deliverer", onions=False)
