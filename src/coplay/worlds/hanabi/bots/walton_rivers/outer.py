"""Outer (Osawa 2015): like Internal, but it remembers what the next player knows and tells only what is new.

From "Solving Hanabi: Estimating Hands by Opponent's Actions in Cooperative Game with Incomplete Information", AAAI
workshop 2015, as Walton-Rivers et al. (IEEE CEC 2017) play it; restated from the behaviour of their framework.
"""

from __future__ import annotations

from coplay.worlds.hanabi.bots.walton_rivers import rules
from coplay.worlds.hanabi.bots.walton_rivers.player import RulePlayer
from coplay.worlds.hanabi.settings import Hanabi

RULES = (
    rules.play_safe,
    rules.osawa_discard,
    rules.tell_playable_outer,
    rules.tell_unknown,
    rules.discard_randomly,
)


def outer(game: Hanabi) -> RulePlayer:
    return RulePlayer(game, RULES, "outer")
