"""Sets of card identities as words, and what a view says about them.

A set is a uint32 with bit `colour * ranks + rank`, as in the game's own card words; functions take one set or an array
of sets. Only where copies are counted does a set become a row of numbers, one per identity.
"""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np

from coplay.game import Game
from coplay.player import AgentError
from coplay.worlds.hanabi import cards
from coplay.worlds.hanabi.cards import word
from coplay.worlds.hanabi.rules import playable
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.variants import describe
from coplay.worlds.hanabi.view import View

Array = jax.Array
# Above 30 * 29, so that two different shares get different numbers; see `share`.
SHARE_STEPS = 4096.0


def check_game(name: str, game: Game, variants: bool = False) -> None:
    """Raises unless the game is Hanabi, and without a variant if `variants` are not known."""
    if not isinstance(game, Hanabi):
        raise AgentError(f"{name} plays hanabi, not {game.name}; make the game with coplay.make('hanabi', players=2).")
    if not variants:
        refuse_variants(name, game)


def refuse_variants(name: str, game: Hanabi) -> None:
    """Raises if the game is a variant."""
    if game.variant != "none":
        special = " ".join(describe(game.suits)) or f"There are {game.colors} suits."
        raise AgentError(
            f"{name} does not know variant={game.variant} ({special}). Take smartbot, random or a network that learned "
            "it, or leave variant out when making the game."
        )


# Properties of sets


def size(sets: Array) -> Array:
    """int32: the number of identities."""
    return jax.lax.population_count(sets).astype(jnp.int32)


def is_single(sets: Array) -> Array:
    """bool: exactly one identity."""
    return (sets != 0) & ((sets & (sets - word(1))) == 0)


def surely(sets: Array, those: Array | np.uint32) -> Array:
    """bool: not empty, and every identity is one of `those`."""
    return (sets != 0) & ((sets & ~those) == 0)


def maybe(sets: Array, those: Array | np.uint32) -> Array:
    """bool: some identity is one of `those` and some is not."""
    return ((sets & those) != 0) & ((sets & ~those) != 0)


def share(sets: Array, those: Array) -> Array:
    """int32: the part of the identities that are among `those`, as a number that orders and ties as the fraction does.

    Equal fractions must stay equal on every device, whatever its division rounds to; fractions of at most 30 identities
    are far enough from the half steps for that.
    """
    part = size(sets & those).astype(jnp.float32) * SHARE_STEPS
    return jnp.round(part / jnp.maximum(size(sets), 1).astype(jnp.float32)).astype(jnp.int32)


def known_rank(game: Hanabi, sets: Array) -> Array:
    """int32: the rank that all identities have in common, or -1."""
    ranks = sets
    for color in range(1, game.colors):
        ranks = ranks | (sets >> word(color * game.ranks))
    ranks = ranks & word((1 << game.ranks) - 1)
    return jnp.where(is_single(ranks), size(ranks - word(1)), -1)


def known_color(game: Hanabi, sets: Array) -> Array:
    """bool: all identities have one colour."""
    column = (1 << game.ranks) - 1
    one_color = [surely(sets, word(column << (color * game.ranks))) for color in range(game.colors)]
    return jnp.stack(one_color).any(0)


def hint_sets(game: Hanabi) -> np.ndarray:
    """uint32 [hint colors + ranks]: the identities each hint names, colours first."""
    return np.array([*game.color_sets, *game.rank_sets], np.uint32)


# Counting copies


def count_copies(game: Hanabi, sets: Array) -> Array:
    """int32 [identities]: how many of the sets [cards] hold each identity."""
    return _bits(game, sets).sum(0, dtype=jnp.int32)


def all_copies(game: Hanabi, counted: Array) -> Array:
    """The identities of which every copy has been counted."""
    return pack(counted >= _total(game))


def pack(flags: Array) -> Array:
    """bool [identities] as a set."""
    return (flags.astype(jnp.uint32) << np.arange(flags.shape[-1], dtype=np.uint32)).sum(-1, dtype=jnp.uint32)


def _bits(game: Hanabi, sets: Array) -> Array:
    """uint32 [..., identities] of 0s and 1s."""
    return (sets[..., None] >> np.arange(game.num_identities, dtype=np.uint32)) & word(1)


def _total(game: Hanabi) -> np.ndarray:
    """int32 [identities]: copies in the deck."""
    return game.copies_of.reshape(-1)


# What a view says


def hand_words(view: View) -> Array:
    """uint32 [players, hand_size]: the card words of all hands."""
    return jnp.stack([jnp.stack(hand) for hand in view.hand_words])


def visible_cards(words: Array) -> Array:
    """uint32: each card word's identity as a one-element set; empty where there is no card or it is one's own."""
    return cards.identity_set(words)


def told(game: Hanabi, words: Array) -> Array:
    """uint32: the identities the hints leave open for each card word; empty where there is no card."""
    return cards.possible(game, words)


def playable_cards(view: View) -> Array:
    """The identities that would score now."""
    return playable(view.game, view.played)


def discarded_copies(view: View) -> Array:
    """int32 [identities]: copies in the discard pile, misplayed ones among them."""
    return view.discards.reshape(-1)


def gone_copies(view: View) -> Array:
    """int32 [identities]: copies on the stacks or in the discard pile."""
    return discarded_copies(view) + _bits(view.game, view.played).astype(jnp.int32)


def dead_cards(view: View, gone: Array) -> Array:
    """The identities that can never score any more: played, or above a card whose copies are all lost."""
    game = view.game
    dead = all_copies(game, gone) & ~view.played
    for _ in range(game.ranks - 1):
        dead = dead | ((dead << word(1)) & word(game.all_identities & ~game.first_of_color))
    return dead | view.played


def last_copies(view: View, gone: Array) -> Array:
    """The identities not yet played of which exactly one copy is left, dead ones included."""
    return pack(gone == _total(view.game) - 1) & ~view.played
