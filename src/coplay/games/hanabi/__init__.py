"""Hanabi, bit for bit as the Hanabi Learning Environment plays it."""

from coplay.games.hanabi.hanabi import Hanabi
from coplay.games.hanabi.rules import State
from coplay.games.hanabi.view import View

SMALL = {"colors": 2, "ranks": 5, "hand_size": 2, "info_tokens": 3, "life_tokens": 1}
VERY_SMALL = {**SMALL, "colors": 1}


def make(**settings) -> Hanabi:
    """The full game unless settings say otherwise."""
    return Hanabi(**settings)


__all__ = ["SMALL", "VERY_SMALL", "Hanabi", "State", "View", "make"]
