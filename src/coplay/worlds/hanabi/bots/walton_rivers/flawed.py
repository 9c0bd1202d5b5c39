"""Flawed (Walton-Rivers et al. 2017): plays a card with one chance in four to be right, else tells at random.

Meant as a partner that is intelligent in parts and ruins most games: in company of its like it always loses its lives.
From "Evaluating and Modelling Hanabi-Playing Agents", IEEE CEC 2017; restated from the behaviour of the authors'
framework.
"""

from __future__ import annotations

from coplay.worlds.hanabi.bots.walton_rivers import rules
from coplay.worlds.hanabi.bots.walton_rivers.player import RulePlayer
from coplay.worlds.hanabi.settings import Hanabi

RULES = (
    rules.play_safe,
    rules.play_probably_safe(percent=25),
    rules.tell_randomly,
    rules.osawa_discard,
    rules.discard_oldest,
    rules.discard_randomly,
)


def flawed(game: Hanabi) -> RulePlayer:
    return RulePlayer(game, RULES, "flawed")
