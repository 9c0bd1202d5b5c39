"""Overcooked, step for step as Overcooked-AI and ZSC-Eval play it."""

from coplay.games.overcooked.overcooked import Overcooked
from coplay.games.overcooked.rules import State
from coplay.games.overcooked.view import View


def make(**settings) -> Overcooked:
    """The cramped room with two chefs unless settings say otherwise."""
    return Overcooked(**settings)


__all__ = ["Overcooked", "State", "View", "make"]
