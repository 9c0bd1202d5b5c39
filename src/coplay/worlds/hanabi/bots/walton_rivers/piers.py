"""Piers (Walton-Rivers et al. 2017): IGGI that takes risks while it has lives, and points out useless cards.

`intended` adds the first rule of the paper, to play the likeliest card once the deck is empty. In the authors' program
it is dead: its test counts the player's own hand to the deck, so it practically never holds. The games recorded with
that program show no trace of it, and so it is off by default. From "Evaluating and Modelling Hanabi-Playing Agents",
IEEE CEC 2017; restated from the behaviour of the authors' framework.
"""

from __future__ import annotations

import jax

from coplay.worlds.hanabi.bots.walton_rivers import rules
from coplay.worlds.hanabi.bots.walton_rivers.player import RulePlayer
from coplay.worlds.hanabi.bots.walton_rivers.table import PlacedView
from coplay.worlds.hanabi.settings import Hanabi


def deck_empty(table: PlacedView) -> jax.Array:
    return table.view.deck_size == 0


def few_tokens(table: PlacedView) -> jax.Array:
    return table.view.info < 4


RULES = (
    rules.play_safe,
    rules.when(rules.lives_to_spare, rules.play_probably_safe(percent=60)),
    rules.tell_anyone_about_useful,
    rules.when(few_tokens, rules.tell_dispensable),
    rules.osawa_discard,
    rules.discard_oldest,
    rules.tell_randomly,
    rules.discard_randomly,
)
INTENDED = (rules.when(rules.lives_to_spare, rules.when(deck_empty, rules.play_probably_safe(percent=0))), *RULES)


def piers(game: Hanabi, intended: bool = False) -> RulePlayer:
    return RulePlayer(game, INTENDED if intended else RULES, "piers")
