"""What differs between members of one convention community: what they like, and how often they slip."""

from __future__ import annotations

from typing import NamedTuple


class Habits(NamedTuple):
    """The defaults are the player that everything else was measured with. Costs are in cards that will play."""

    finesse: bool = True  # gives finesses; whoever does not may still understand them
    stall: bool = True  # points at a 5 in the early game rather than discard
    wake: bool = True  # gives an idle neighbour something to play before an own play
    token: float = 0.5  # what a clue costs: the higher, the sooner he discards
    save: float = 0.5  # what a unit of danger taken away is worth
    bad: float = 1.2  # what a touched card that is trash or a twin costs
    color: float = 0.02  # how much rather he names a colour than a rank
    urgent: float = 1.9  # danger to the next player that comes before own plays
    slip: float = 0.0  # the share of his moves that are not what he meant to do
    taste: str = ""  # weighs all moves by a taste (tastes.py) instead of following the book alone
    nerve: float = 1.0  # how freely he draws among moves he likes; towards 0 he always takes the one he likes best
    care: float = 2.0  # how far he keeps away from moves that the conventions do not allow
    book: float = 0.0  # how much rather he does what the book recommends
    fear: float = 0.0  # how little he trusts a promise with the last life


USUAL = Habits()
