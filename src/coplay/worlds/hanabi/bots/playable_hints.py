"""The move choice that SimpleBot, ValueBot and HolmesBot share: a hint names cards that can be played now.

The three differ in what they believe about cards and in what they hold to be misleading. Their order of
preferences is one: save the next player's last copy, play, hint, guess, pass the turn or discard.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots import identity_sets as ids
from coplay.worlds.hanabi.bots.choosing import (
    best_hint,
    best_slot,
    discard_action,
    first_that_applies,
    legal_or_fallback,
    play_action,
    rank_hint_action,
    touches,
)
from coplay.worlds.hanabi.bots.hearing import at
from coplay.worlds.hanabi.view import View

Array = jax.Array


class Beliefs(NamedTuple):
    """What everybody holds to be known about each card, [players, hand_size], False or -1 where there is none."""

    playable: Array  # bool
    valuable: Array  # bool: the last copy
    worthless: Array  # bool
    rank: Array  # int32: -1 if unknown


class Readings(NamedTuple):
    """How partners would read hints."""

    valuable: Array  # uint32: the identities worth a warning
    suspects: Array  # uint32 [players]: a rank hint on a player's next discard that names one of these is a warning
    misled_by_color: Array  # bool [players, hand_size]: would take the card to be playable if its colour is named
    misled_by_rank: Array  # bool [players, hand_size]


def next_discards(beliefs: Beliefs, held: Array) -> Array:
    """int32 [players]: the oldest card not known to be a last copy; -1 if there is none or something better to do."""
    busy = (beliefs.playable | beliefs.worthless).any(1)
    spare = held & ~beliefs.valuable
    return jnp.where(busy | ~spare.any(1), -1, jnp.argmax(spare, axis=1).astype(jnp.int32))


def choose(
    view: View, words: Array, beliefs: Beliefs, readings: Readings, guess: tuple[Array, Array] | None = None
) -> Array:
    """The action; `guess` is (whether, slot): play that card if there is nothing to play and nothing to hint."""
    game = view.game
    held = words != 0
    shown = ids.visible_cards(words)
    mine = Beliefs(*(field[0] for field in beliefs))
    discards = next_discards(beliefs, held)
    fitness = _hint_fitness(view, shown, beliefs, readings, discards)
    can_hint, can_discard = view.info > 0, view.info < game.info_tokens

    endangered = at(shown[1], discards[1])
    must_warn = can_hint & ((endangered & readings.valuable) != 0)
    help_next, helping_next = best_hint(game, fitness[:1])
    warn = jnp.where(help_next, helping_next, rank_hint_action(game, 1, endangered))

    help_any, helping = best_hint(game, fitness)
    options = [
        (must_warn, warn),
        # Lowest rank first; a card known to be playable whose rank is open goes before all.
        (mine.playable.any(), play_action(game, best_slot(game.ranks - mine.rank, mine.playable))),
        (can_hint & help_any, helping),
    ]
    if guess is not None:
        options.append((guess[0], play_action(game, guess[1])))
    spare = held[0] & ~mine.valuable
    options += [
        (~can_discard, rank_hint_action(game, game.players - 1, shown[-1, 0])),
        (mine.worthless.any(), discard_action(jnp.argmax(mine.worthless))),
        (spare.any(), discard_action(jnp.argmax(spare))),
    ]
    highest = discard_action(best_slot(mine.rank + 1, held[0]))
    return legal_or_fallback(view, first_that_applies(options, otherwise=highest))


def _hint_fitness(view: View, shown: Array, beliefs: Beliefs, readings: Readings, discards: Array) -> Array:
    """int32 [others, hints]: playable cards each hint would make known; 0 if it misleads."""
    game = view.game
    touched = touches(game, shown[1:])
    playable = ((shown & ids.playable_cards(view)) != 0)[1:, None, :]
    news = touched & playable & ~beliefs.playable[1:, None, :]

    by_color = jnp.arange(game.colors + game.ranks) < game.colors
    misled = jnp.where(by_color[:, None], readings.misled_by_color[1:, None, :], readings.misled_by_rank[1:, None, :])
    misleads = (touched & ~playable & misled).any(2)

    members = jnp.asarray(ids.hint_sets(game))
    on_next_discard = (touched & (jnp.arange(game.hand_size) == discards[1:, None, None])).any(2)
    warns = ~by_color & on_next_discard & ((readings.suspects[1:, None] & members) != 0)
    return jnp.where(misleads | warns, 0, news.sum(2, dtype=jnp.int32))
