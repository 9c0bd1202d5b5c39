"""Sets of card identities as words, and what a view says about them.

A set is a uint32 with bit `colour * ranks + rank`, as in the game's own card words; functions take one set or an array
of sets. Numbers of copies are kept as `Copies`, three sets that say which identities have at least one, two and three
copies, so that counting fifty cards is a handful of bit operations.
"""

from __future__ import annotations

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from coplay.agents.agent import AgentError
from coplay.games.game import Game
from coplay.games.hanabi import cards
from coplay.games.hanabi.cards import word
from coplay.games.hanabi.hanabi import Hanabi
from coplay.games.hanabi.rules import playable
from coplay.games.hanabi.view import View

Array = jax.Array
MOST_COPIES = 3
# Above 25 * 24, so that two different shares get different numbers; see `share`.
SHARE_STEPS = 4096.0


class Copies(NamedTuple):
    """The identities with at least one, at least two and at least three copies."""

    one: Array
    two: Array
    three: Array


def check_game(name: str, game: Game) -> None:
    """Raises unless the game is a Hanabi whose cards have at most three copies, which is what `Copies` can count."""
    if not isinstance(game, Hanabi):
        raise AgentError(f"{name} plays hanabi, not {game.name}; make the game with coplay.make('hanabi', players=2).")
    if max(game.copies) > MOST_COPIES:
        raise AgentError(
            f"{name} counts at most {MOST_COPIES} copies of a card, but this game has copies={game.copies}; "
            f"leave copies out for the standard deck."
        )


# Properties of sets


def size(sets: Array) -> Array:
    """int32: the number of identities."""
    return jax.lax.population_count(sets).astype(jnp.int32)


def is_single(sets: Array) -> Array:
    """bool: exactly one identity."""
    return (sets != 0) & ((sets & (sets - word(1))) == 0)


def surely(sets: Array, those: Array) -> Array:
    """bool: not empty, and every identity is one of `those`."""
    return (sets != 0) & ((sets & ~those) == 0)


def maybe(sets: Array, those: Array) -> Array:
    """bool: some identity is one of `those` and some is not."""
    return ((sets & those) != 0) & ((sets & ~those) != 0)


def share(sets: Array, those: Array) -> Array:
    """int32: the part of the identities that are among `those`, as a number that orders and ties as the fraction does.

    Equal fractions must stay equal on every device, whatever its division rounds to; fractions of at most 25 identities
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
    """uint32 [colors + ranks]: the identities each hint names, colours first."""
    column = (1 << game.ranks) - 1
    by_color = [column << (color * game.ranks) for color in range(game.colors)]
    by_rank = [game.first_of_color << rank for rank in range(game.ranks)]
    return np.array(by_color + by_rank, np.uint32)


# Counting copies


def count_copies(sets: Array) -> Copies:
    """How often each identity occurs in one-element or empty sets [cards]; more than three count as three."""
    copies = Copies(sets, jnp.zeros_like(sets), jnp.zeros_like(sets))
    while copies.one.shape[0] > 1:
        half = copies.one.shape[0] // 2
        odd = copies.one.shape[0] % 2
        left, right = (Copies(*(field[part] for field in copies)) for part in (slice(half), slice(half, 2 * half)))
        rest = [field[2 * half :] for field in copies]
        joined = add_copies(left, right)
        copies = Copies(*(jnp.concatenate([a, b]) if odd else a for a, b in zip(joined, rest, strict=True)))
    return Copies(*(field[0] for field in copies))


def add_copies(a: Copies, b: Copies) -> Copies:
    """The sum; more than three count as three."""
    return Copies(
        one=a.one | b.one,
        two=a.two | b.two | (a.one & b.one),
        three=a.three | b.three | (a.two & b.one) | (a.one & b.two),
    )


def all_copies(game: Hanabi, counted: Copies) -> Array:
    """The identities of which every copy has been counted."""
    return _with_copies(game, counted, 0)


def all_but_one(game: Hanabi, counted: Copies) -> Array:
    """The identities of which at least every copy but one has been counted."""
    return _with_copies(game, counted, 1)


def _with_copies(game: Hanabi, counted: Copies, missing: int) -> Array:
    at_least = (word(game.all_identities), *counted)
    reached = word(0)
    for rank, copies in enumerate(game.copies):
        reached = reached | (at_least[copies - missing] & word(game.first_of_color << rank))
    return reached


# What a view says


def hand_words(view: View) -> Array:
    """uint32 [players, hand_size]: the card words of all hands."""
    return jnp.stack([jnp.stack(hand) for hand in view.hand_words])


def visible_cards(words: Array) -> Array:
    """uint32: each card word's identity as a one-element set; empty where there is no card or it is one's own."""
    return cards.identity_set(words)


def told(words: Array) -> Array:
    """uint32: the identities the hints leave open for each card word; empty where there is no card."""
    return words & cards.POSSIBLE


def playable_cards(view: View) -> Array:
    """The identities that would score now."""
    return playable(view.game, view.played)


def discarded_copies(view: View) -> Copies:
    """Copies in the discard pile, misplayed ones among them."""
    counts = view.discards.reshape(-1).astype(jnp.uint32)
    place = np.arange(view.game.num_identities, dtype=np.uint32)
    return Copies(*(((counts >= k).astype(jnp.uint32) << place).sum(dtype=jnp.uint32) for k in (1, 2, 3)))


def gone_copies(view: View) -> Copies:
    """Copies that are on the stacks or in the discard pile."""
    none = jnp.zeros_like(view.played)
    return add_copies(discarded_copies(view), Copies(view.played, none, none))


def dead_cards(view: View, gone: Copies) -> Array:
    """The identities that can never score any more: played, or above a card whose copies are all lost."""
    game = view.game
    dead = all_copies(game, gone) & ~view.played
    for _ in range(game.ranks - 1):
        dead = dead | ((dead << word(1)) & word(game.all_identities & ~game.first_of_color))
    return dead | view.played


def last_copies(view: View, gone: Copies) -> Array:
    """The identities not yet played of which exactly one copy is left, dead ones included."""
    return all_but_one(view.game, gone) & ~all_copies(view.game, gone) & ~view.played
