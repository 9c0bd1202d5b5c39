"""Internal (Osawa 2015): plays and discards what it is sure of, else tells the next player something at random.

It keeps track of its own cards but not of what the others have been told, so it repeats hints. From "Solving Hanabi:
Estimating Hands by Opponent's Actions in Cooperative Game with Incomplete Information", AAAI workshop 2015, as
Walton-Rivers et al. (IEEE CEC 2017) play it; restated from the behaviour of their framework.
"""

from __future__ import annotations

from coplay.worlds.hanabi.bots.walton_rivers import rules
from coplay.worlds.hanabi.bots.walton_rivers.player import RulePlayer
from coplay.worlds.hanabi.settings import Hanabi

RULES = (
    rules.play_safe,
    rules.osawa_discard,
    rules.tell_playable,
    rules.tell_randomly,
    rules.discard_randomly,
)


def internal(game: Hanabi) -> RulePlayer:
    return RulePlayer(game, RULES, "internal")
