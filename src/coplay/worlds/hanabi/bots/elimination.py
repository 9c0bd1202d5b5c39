"""What the cards everybody can place exclude for the others: copies that are gone or located cannot be elsewhere."""

from __future__ import annotations

import jax
import jax.numpy as jnp

from coplay.worlds.hanabi.bots.identity_sets import all_copies, count_copies, is_single, told
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.settings import Hanabi

Array = jax.Array


def eliminate_publicly(game: Hanabi, sets: Array, words: Array, gone: Array) -> Array:
    """Public sets [players, hand_size] after all that follows from the gone copies and the cards known to everybody.

    A set that conventions and hints leave empty falls back to what the rules alone allow: hints and gone copies.
    """
    by_rules = told(game, words) & ~all_copies(game, gone)
    return refill(_eliminate(game, refill(sets, by_rules), gone), by_rules)


def without(game: Hanabi, sets: Array, counted: Array) -> Array:
    """The sets less the identities whose copies are all counted; single ones stay, they may be among the counted."""
    return jnp.where(is_single(sets), sets, sets & ~all_copies(game, counted))


def refill(sets: Array, by_rules: Array) -> Array:
    """Empty sets replaced by what the rules allow, which is empty only where there is no card."""
    return jnp.where((sets == 0) | (by_rules == 0), by_rules, sets)


def _eliminate(game: Hanabi, sets: Array, gone: Array) -> Array:
    """Each round may identify further cards, which may exclude more; sets only shrink, so the rounds end."""

    def round_of(state: tuple[Array, Array]) -> tuple[Array, Array]:
        sets, _ = state
        located = count_copies(game, jnp.where(is_single(sets), sets, word(0)).reshape(-1))
        smaller = without(game, sets, gone + located)
        return smaller, (is_single(smaller) & ~is_single(sets)).any()

    return jax.lax.while_loop(lambda state: state[1], round_of, (sets, jnp.asarray(True)))[0]
