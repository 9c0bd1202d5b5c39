"""Van den Bergh (2015): probabilities decide about plays and discards; hints tell as much as they can.

From M. van den Bergh's thesis "Hanabi, a co-operative game of fireworks", Leiden 2015, with the thresholds that
Walton-Rivers et al. (IEEE CEC 2017) give it; restated from the behaviour of their framework.
"""

from __future__ import annotations

from coplay.worlds.hanabi.bots.walton_rivers import rules
from coplay.worlds.hanabi.bots.walton_rivers.player import RulePlayer
from coplay.worlds.hanabi.settings import Hanabi

RULES = (
    rules.either(rules.lives_to_spare, rules.play_probably_safe(percent=60), rules.play_safe),
    rules.discard_probably_useless(percent=100),
    rules.tell_anyone_about_useful,
    rules.tell_most_new_information,
    rules.discard_probably_useless(percent=0),
)


def van_den_bergh(game: Hanabi) -> RulePlayer:
    return RulePlayer(game, RULES, "van-den-bergh")
