"""SimpleBot, by Arthur O'Dwyer (Quuxplusone/Hanabi): every card a hint touches can be played now.

A colour hint thus tells the rank too. A played card makes all cards that might be its twin doubtful, except fives,
which have none. The only other hint is a rank hint to the previous player on his oldest card when all tokens are out:
it passes the turn and is forgotten. Plays the lowest known card, else hints the most new playable cards, else discards
the oldest. Nothing is inferred from what a hint does not touch.

With strangers a hint can contradict an earlier one: then the card counts as what the hints alone leave open and not as
playable. An illegal action falls back as `choosing.legal_or_fallback` says.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots import identity_sets as ids
from coplay.worlds.hanabi.bots.hearing import Heard, after_use, hear, one_hot
from coplay.worlds.hanabi.bots.playable_hints import Beliefs, Readings, choose
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


class Knowledge(NamedTuple):
    """What everybody was told about each card, [players, hand_size]."""

    sets: Array  # uint32: identities it may have
    playable: Array  # bool


class SimpleBot(eqx.Module):
    """O'Dwyer's SimpleBot."""

    game: Hanabi = eqx.field(static=True)
    name: str = eqx.field(static=True, default="simplebot")
    hears = "every"

    def __check_init__(self) -> None:
        ids.check_game(self.name, self.game)

    def start(self) -> Knowledge:
        shape = (self.game.players, self.game.hand_size)
        return Knowledge(jnp.full(shape, self.game.all_identities, jnp.uint32), jnp.zeros(shape, bool))

    def act(self, memory: Knowledge, view: View, key: Array) -> tuple[Knowledge, Array]:
        words = ids.hand_words(view)
        knowledge = _after_hint(view, _after_card(view, memory, hear(view)), words, hear(view))
        never, always = jnp.zeros_like(knowledge.playable), jnp.ones_like(knowledge.playable)
        rank = ids.known_rank(self.game, knowledge.sets)
        beliefs = Beliefs(knowledge.playable, valuable=never, worthless=never, rank=rank)
        nothing = jnp.uint32(0)
        no_warnings = jnp.zeros(self.game.players, jnp.uint32)
        readings = Readings(nothing, no_warnings, misled_by_color=always, misled_by_rank=always)
        return knowledge, choose(view, words, beliefs, readings)


def _after_card(view: View, knowledge: Knowledge, heard: Heard) -> Knowledge:
    """A play or discard: the hand closes up, and possible twins of a played card become doubtful."""
    game = view.game
    sets = after_use(knowledge.sets, heard, fresh=word(game.all_identities))
    playable = after_use(knowledge.playable, heard, fresh=False)
    return Knowledge(sets, playable & ~(heard.play & could_be_twin(game, sets, heard.card)))


def could_be_twin(game: Hanabi, sets: Array, card: Array) -> Array:
    """bool: may be another copy of `card`; the highest rank has none."""
    return ((sets & card) != 0) & (ids.known_rank(game, sets) != game.ranks - 1)


def _after_hint(view: View, knowledge: Knowledge, words: Array, heard: Heard) -> Knowledge:
    receiver = (heard.hint & ~heard.reclaim & one_hot(heard.target, view.game.players))[:, None]
    touched = receiver & heard.touched
    # A rank keeps its colours open, the unplayable ones too: the original does not narrow them down.
    meant = jnp.where(heard.color_hint, heard.members & ids.playable_cards(view), heard.members)
    sets = jnp.where(touched, knowledge.sets & meant, knowledge.sets)
    playable = knowledge.playable | touched
    sound = (sets != 0) & (words != 0)
    return Knowledge(jnp.where(sound, sets, ids.told(view.game, words)), playable & sound)
