"""The H-Group conventions, levels 1 to 5: a reader of moves and a player that follows them."""

from coplay.worlds.hanabi.bots.hgroup.agent import HGroup

__all__ = ["HGroup"]
