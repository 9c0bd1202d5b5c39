"""HolmesBot, by Arthur O'Dwyer (Quuxplusone/Hanabi): ValueBot that eliminates the impossible, and guesses at the end.

Conventions
- A colour hint: touched cards of unknown rank that are not known to be worthless are the next card of that colour.
- A rank hint that touches its receiver's next discard, if that may be a last copy of this rank, warns: it is one (and
  playable if the rank is the lowest still missing). Otherwise touched cards of unknown colour that are not known to be
  worthless are playable. With all tokens out, a rank hint to the previous player on his oldest card passes the turn and
  is forgotten.
- Next discard: the oldest card not known to be a last copy, unless something is known to be playable or worthless.
- What a hint does not touch, copies out of the game and cards known to everybody all narrow the sets down.
- With at most one card in the deck and nothing to play or hint, its newest card neither known nor worthless is played.

With strangers the conventions can contradict the hints. A card whose set becomes empty falls back to what hints and
copies out of the game leave open; an illegal action falls back as `choosing.legal_or_fallback` says.
"""

from __future__ import annotations

import equinox as eqx
import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots import identity_sets as ids
from coplay.worlds.hanabi.bots.elimination import eliminate_publicly
from coplay.worlds.hanabi.bots.hearing import after_use, at, hear, one_hot
from coplay.worlds.hanabi.bots.identity_sets import is_single, surely
from coplay.worlds.hanabi.bots.playable_hints import Beliefs, Readings, choose, next_discards
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array

GUESS_AT_DECK = 1


class HolmesBot(eqx.Module):
    """O'Dwyer's HolmesBot."""

    game: Hanabi = eqx.field(static=True)
    name: str = eqx.field(static=True, default="holmesbot")
    hears = "every"

    def __check_init__(self) -> None:
        ids.check_game(self.name, self.game)

    def start(self) -> Array:
        """uint32 [players, hand_size]: the identities each card may have as far as everybody knows."""
        return jnp.full((self.game.players, self.game.hand_size), self.game.all_identities, jnp.uint32)

    def act(self, memory: Array, view: View, key: Array) -> tuple[Array, Array]:
        game = self.game
        words = ids.hand_words(view)
        gone = ids.gone_copies(view)
        valuable = ids.last_copies(view, gone)
        sets = eliminate_publicly(game, _understand(view, memory, valuable), words, gone)

        beliefs = _beliefs(view, sets, valuable)
        discards = next_discards(beliefs, words != 0)
        readings = Readings(
            valuable=valuable,
            suspects=jax.vmap(at)(sets, discards) & valuable,
            misled_by_color=(beliefs.rank < 0) & ~beliefs.worthless,
            misled_by_rank=~ids.known_color(game, sets) & ~beliefs.worthless,
        )
        mystery = (words[0] != 0) & ~beliefs.worthless[0] & ~is_single(sets[0])
        newest_mystery = game.hand_size - 1 - jnp.argmax(mystery[::-1])
        guess = (mystery.any() & (view.deck_size <= GUESS_AT_DECK), newest_mystery)
        return sets, choose(view, words, beliefs, readings, guess)


def _beliefs(view: View, sets: Array, valuable: Array) -> Beliefs:
    return Beliefs(
        playable=surely(sets, ids.playable_cards(view)),
        valuable=surely(sets, valuable),
        worthless=surely(sets, view.played),
        rank=ids.known_rank(view.game, sets),
    )


def _understand(view: View, sets: Array, valuable: Array) -> Array:
    """The sets after the latest move. A hint changes nothing on the table, so its giver saw the table of this view."""
    game = view.game
    heard = hear(view)
    beliefs = _beliefs(view, sets, valuable)
    receiver = (heard.hint & ~heard.reclaim & one_hot(heard.target, game.players))[:, None]

    next_discard = at(next_discards(beliefs, sets != 0), heard.target)
    suspects = at(at(sets, heard.target), next_discard) & valuable
    warning = heard.rank_hint & at(heard.touched, next_discard) & ((suspects & heard.members) != 0)
    warned = warning & one_hot(next_discard, game.hand_size)

    playable = ids.playable_cards(view) & heard.members
    playable_if_saved = jnp.where(heard.value == view.fireworks.min(), playable, word(game.all_identities))
    open_question = jnp.where(heard.color_hint, beliefs.rank < 0, ~ids.known_color(game, sets))
    # A colour or rank with nothing left to play promises nothing.
    promised = heard.touched & open_question & ~beliefs.worthless & ~warning & (playable != 0)
    told = jnp.where(heard.touched, sets & heard.members, sets & ~heard.members)
    told = jnp.where(warned, told & valuable & playable_if_saved, told)
    told = jnp.where(promised, told & playable, told)
    return after_use(jnp.where(receiver, told, sets), heard, fresh=word(game.all_identities))
