"""ValueBot, by Arthur O'Dwyer (Quuxplusone/Hanabi): SimpleBot's hints, and warnings that save last copies.

Conventions
- A colour hint: touched cards whose rank is unknown are the next card of that colour.
- A rank hint that touches its receiver's next discard, of a rank of which some card is down to its last copy, warns:
  it is a last copy (and playable if the rank is the lowest still missing). Any other rank hint: all cards touched
  are playable. With all tokens out, a rank hint to the previous player on his oldest card passes the turn and is
  forgotten.
- Next discard: the oldest card not known to be a last copy, unless something is known to be playable or worthless.
- A played card makes its possible twins doubtful again, unless it was the last copy. Cards known by rank become
  worthless when the last card of their rank is played.
Nothing is inferred from what a hint does not touch, and cards are not counted otherwise.

With strangers a hint can contradict an earlier one: then the card counts as what the hints alone leave open, without
further beliefs; a rank that is complete promises nothing. An illegal action falls back as `choosing.legal_or_fallback`
says.
"""

from __future__ import annotations

from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots import identity_sets as ids
from coplay.worlds.hanabi.bots.hearing import Heard, after_use, at, hear, one_hot
from coplay.worlds.hanabi.bots.playable_hints import Beliefs, Readings, choose, next_discards
from coplay.worlds.hanabi.bots.simplebot import could_be_twin
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


class Knowledge(NamedTuple):
    """What everybody was told and concluded about each card, [players, hand_size]."""

    sets: Array  # uint32: identities it may have
    playable: Array  # bool
    valuable: Array  # bool
    worthless: Array  # bool

    def beliefs(self, game: Hanabi) -> Beliefs:
        return Beliefs(self.playable, self.valuable, self.worthless, ids.known_rank(game, self.sets))


class ValueBot(eqx.Module):
    """O'Dwyer's ValueBot."""

    game: Hanabi = eqx.field(static=True)
    name: str = eqx.field(static=True, default="valuebot")
    hears = "every"

    def __check_init__(self) -> None:
        ids.check_game(self.name, self.game)

    def start(self) -> Knowledge:
        shape = (self.game.players, self.game.hand_size)
        no = jnp.zeros(shape, bool)
        return Knowledge(jnp.full(shape, self.game.all_identities, jnp.uint32), no, no, no)

    def act(self, memory: Knowledge, view: View, key: Array) -> tuple[Knowledge, Array]:
        game = self.game
        words = ids.hand_words(view)
        valuable = ids.last_copies(view, ids.gone_copies(view))
        heard = hear(view)
        knowledge = _after_card(view, memory, heard)
        knowledge = _after_color_hint(view, knowledge, heard, valuable)
        knowledge = _after_rank_hint(view, knowledge, words, heard, valuable)
        knowledge = _consistent(game, knowledge, words)

        beliefs = knowledge.beliefs(game)
        readings = Readings(
            valuable=valuable,
            suspects=jnp.broadcast_to(valuable, game.players),
            misled_by_color=beliefs.rank < 0,
            misled_by_rank=jnp.ones_like(beliefs.playable),
        )
        return knowledge, choose(view, words, beliefs, readings)


def _after_card(view: View, knowledge: Knowledge, heard: Heard) -> Knowledge:
    """A play or discard: the hand closes up; a scored card makes twins doubtful and may complete its rank."""
    game = view.game
    sets = after_use(knowledge.sets, heard, fresh=word(game.all_identities))
    playable, valuable, worthless = (after_use(flags, heard, fresh=False) for flags in knowledge[1:])
    scored = heard.play & view.last.scored
    # On the stack and all others discarded: it was the last copy when it was played.
    was_last = (heard.card & ids.all_copies(game, ids.gone_copies(view))) != 0
    playable = playable & ~(scored & ~was_last & could_be_twin(game, sets, heard.card))
    rank = ids.known_rank(game, heard.card)
    complete = view.fireworks.min() > rank
    worthless = worthless | (scored & complete & (ids.known_rank(game, sets) == rank))
    return Knowledge(sets, playable, valuable, worthless)


def _after_color_hint(view: View, knowledge: Knowledge, heard: Heard, valuable: Array) -> Knowledge:
    game = view.game
    touched = (heard.color_hint & one_hot(heard.target, game.players))[:, None] & heard.touched
    playable = ids.playable_cards(view)
    rank_open = ids.known_rank(game, knowledge.sets) < 0
    told = knowledge.sets & heard.members
    sets = jnp.where(touched, jnp.where(rank_open, told & playable, told), knowledge.sets)
    return Knowledge(
        sets,
        playable=knowledge.playable | (touched & ids.surely(sets, playable)),
        valuable=knowledge.valuable | (touched & ids.surely(sets, valuable)),
        worthless=knowledge.worthless | (touched & ids.surely(sets, view.played)),
    )


def _after_rank_hint(view: View, knowledge: Knowledge, words: Array, heard: Heard, valuable: Array) -> Knowledge:
    game = view.game
    receiver = (heard.rank_hint & ~heard.reclaim & one_hot(heard.target, game.players))[:, None]
    touched = receiver & heard.touched
    next_discard = at(next_discards(knowledge.beliefs(game), words != 0), heard.target)
    warning = at(heard.touched, next_discard) & ((valuable & heard.members) != 0)
    warned = receiver & warning & one_hot(next_discard, game.hand_size)
    lowest = view.fireworks.min()
    pointless = heard.value < lowest
    return Knowledge(
        sets=jnp.where(touched, knowledge.sets & heard.members, knowledge.sets),
        playable=knowledge.playable | (warned & (heard.value == lowest)) | (touched & ~warning & ~pointless),
        valuable=knowledge.valuable | warned,
        worthless=knowledge.worthless,
    )


def _consistent(game: Hanabi, knowledge: Knowledge, words: Array) -> Knowledge:
    """Contradicted cards start again from the hints alone; slots without a card hold nothing."""
    sound = (knowledge.sets != 0) & (words != 0)
    return Knowledge(
        jnp.where(sound, knowledge.sets, ids.told(game, words)), *(flags & sound for flags in knowledge[1:])
    )
