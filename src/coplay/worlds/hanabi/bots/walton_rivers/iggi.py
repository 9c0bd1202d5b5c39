"""IGGI (Walton-Rivers et al. 2017): plays what is certain, helps the others to play, discards the oldest card.

Hints mean no more than they say; the convention, if any, is that the oldest card goes. Stochastic only when it has
nothing to tell and may not discard. From "Evaluating and Modelling Hanabi-Playing Agents", IEEE CEC 2017; restated from
the behaviour of the authors' framework.
"""

from __future__ import annotations

from coplay.worlds.hanabi.bots.walton_rivers import rules
from coplay.worlds.hanabi.bots.walton_rivers.player import RulePlayer
from coplay.worlds.hanabi.settings import Hanabi

RULES = (
    rules.play_if_certain,
    rules.play_safe,
    rules.tell_anyone_about_useful,
    rules.osawa_discard,
    rules.discard_oldest,
    rules.tell_randomly,
)


def iggi(game: Hanabi) -> RulePlayer:
    return RulePlayer(game, RULES, "iggi")
