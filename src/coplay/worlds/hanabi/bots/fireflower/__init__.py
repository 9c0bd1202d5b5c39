"""FireFlower, a convention player with a shallow search, for the standard game of 2 to 5 players."""

from coplay.worlds.hanabi.bots.fireflower.agent import FireFlower

__all__ = ["FireFlower"]
