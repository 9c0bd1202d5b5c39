"""The rules that the agents of Walton-Rivers et al. are lists of.

A rule turns a table into whole-number weights, one per action: the rule picks an action with a chance in proportion to
its weight, and a rule without any weight does not fire. So one function says which actions a rule allows and how often
it takes each of them.

Restated from the behaviour of the authors' framework (fossgalaxy/hanabi) and checked against games recorded with it.
"First" is always the leftmost card; a new card lies down where the old one was (places.py).
"""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi.bots.walton_rivers.table import PlacedView

Array = jax.Array
Weights = Array  # int32 [num_actions]
Rule = Callable[[PlacedView], Weights]
Condition = Callable[[PlacedView], Array]
LAST = 1000  # after every card


def when(condition: Condition, rule: Rule) -> Rule:
    """The rule, where the condition holds."""

    def guarded(table: PlacedView) -> Weights:
        return jnp.where(condition(table), rule(table), 0)

    return guarded


def either(condition: Condition, rule: Rule, otherwise: Rule) -> Rule:
    """One of two rules."""

    def chosen(table: PlacedView) -> Weights:
        return jnp.where(condition(table), rule(table), otherwise(table))

    return chosen


def lives_to_spare(table: PlacedView) -> Array:
    """bool: a wrong play would not end the game."""
    return table.view.lives > 1


def in_order(rules: tuple[Rule, ...], table: PlacedView) -> Weights:
    """The weights of the first rule that fires."""
    weights = rules[-1](table)
    for rule in reversed(rules[:-1]):
        earlier = rule(table)
        weights = jnp.where((earlier > 0).any(), earlier, weights)
    return weights


# Playing


def play_safe(table: PlacedView) -> Weights:
    """Plays the first card that is playable whatever it is."""
    favourable, total = table.chance(table.playable)
    return _play(table, _leftmost(table, favourable == total))


def play_if_certain(table: PlacedView) -> Weights:
    """Plays the first playable card with known colour and rank."""
    return _play(table, _leftmost(table, table.color_known & table.rank_known & ((table.told & table.playable) != 0)))


def play_probably_safe(percent: int) -> Rule:
    """Plays the card most likely playable if the chance is at least `percent`; the rightmost of equals."""

    def rule(table: PlacedView) -> Weights:
        return _play(table, _likeliest(table, table.playable, percent))

    return rule


# Discarding


def osawa_discard(table: PlacedView) -> Weights:
    """Discards the first card that its known attributes show to be useless: a finished colour, a rank that every stack
    has, a known card that is played or lost. Else the first card of a known colour of which all ranks out of sight are
    lost."""
    useless = table.color_known & _inside(table.told, table.complete)
    useless |= table.rank_known & _inside(table.told, table.below_lowest)
    useless |= table.color_known & table.rank_known & _inside(table.told, table.useless)
    lost, total = table.chance(table.unreachable)
    first = _leftmost(table, useless)
    return _discard(table, jnp.where(first.any(), first, _leftmost(table, table.color_known & (lost == total))))


def discard_oldest(table: PlacedView) -> Weights:
    """Discards the card held longest."""
    return _discard(table, table.held & (jnp.arange(table.game.hand_size) == 0))


def discard_randomly(table: PlacedView) -> Weights:
    """Discards any card."""
    return _discard(table, table.held)


def discard_probably_useless(percent: int) -> Rule:
    """Discards the card most likely useless if the chance is at least `percent`; the rightmost of equals."""

    def rule(table: PlacedView) -> Weights:
        return _discard(table, _likeliest(table, table.useless, percent))

    return rule


# Telling


def tell_anyone_about_useful(table: PlacedView) -> Weights:
    """Players in turn: of the first playable card not fully known the rank if it is unknown, else the colour."""
    first = _first(_useful(table), _turn_order(table))
    return _tell_about(table, first & ~table.rank_unknown, first & table.rank_unknown)


def tell_playable_outer(table: PlacedView) -> Weights:
    """The same about the next player's cards alone."""
    first = _first(_useful(table) & _next_player(table), _turn_order(table))
    return _tell_about(table, first & ~table.rank_unknown, first & table.rank_unknown)


def tell_playable(table: PlacedView) -> Weights:
    """Colour or rank of the next player's first playable card, known or not."""
    first = _first(_next_player(table) & ((table.shown & table.playable) != 0), _turn_order(table))
    return _tell_about(table, first, first)


def tell_unknown(table: PlacedView) -> Weights:
    """Of the next player's first card not fully known the colour if it is unknown, else the rank."""
    unknown = _next_player(table) & (table.shown != 0) & (table.color_unknown | table.rank_unknown)
    first = _first(unknown, _turn_order(table))
    return _tell_about(table, first & table.color_unknown, first & ~table.color_unknown)


def tell_randomly(table: PlacedView) -> Weights:
    """Colour or rank of any card of the next player."""
    cards = jnp.broadcast_to(_next_player(table), table.shown.shape)
    return _tell_about(table, cards, cards)


def tell_dispensable(table: PlacedView) -> Weights:
    """Seat by seat from 0, the first card that a hint shows to be useless: a finished colour, a rank that every stack
    has, or the missing attribute of a card already played."""
    by_color = table.color_unknown & ((table.shown & table.complete) != 0)
    by_rank = table.rank_unknown & ((table.shown & table.below_lowest) != 0)
    completes = (table.color_unknown != table.rank_unknown) & ((table.shown & table.view.played) != 0)
    first = _first(by_color | by_rank | completes, _seat_order(table))
    about_rank = ~by_color & (by_rank | table.rank_unknown)
    return _tell_about(table, first & ~about_rank, first & about_rank)


def tell_most_new_information(table: PlacedView) -> Weights:
    """Seat by seat from 0, ranks before colours: the first of the hints that tell most cards something new."""
    game = table.game
    by_color, by_rank = _touched(table, table.color_unknown, table.rank_unknown)
    # One number per hint: how many cards it touches, then how early it comes.
    hints = game.players * (game.ranks + game.colors)
    turn = hints - 1 - table.seats[:, None] * (game.ranks + game.colors)
    color_value = by_color * hints + turn - game.ranks - np.arange(game.colors)
    rank_value = by_rank * hints + turn - np.arange(game.ranks)
    best = jnp.maximum(jnp.maximum(color_value.max(), rank_value.max()), hints)
    return _tell(table, color_value == best, rank_value == best)


# What the rules share


def _inside(sets: Array, those: Array) -> Array:
    """bool: not empty, and all of it among `those`."""
    return (sets != 0) & ((sets & ~those) == 0)


def _first(cards: Array, order: Array) -> Array:
    """bool, as `cards`: the one that comes first in the order, which has no ties."""
    return cards & (order == jnp.where(cards, order, LAST).min())


def _leftmost(table: PlacedView, cards: Array) -> Array:
    """bool [hand_size]: the leftmost of these own cards."""
    return _first(cards & table.held, table.places[0])


def _likeliest(table: PlacedView, members: Array, percent: int) -> Array:
    """bool [hand_size]: the own card most likely in `members`, rightmost of equals, if the chance is high enough."""
    favourable, total = table.chance(members)
    held, place = table.held, table.places[0]
    # Fractions are compared by cross-multiplication, so that equal chances are equal.
    ours, theirs = favourable[:, None] * total[None, :], favourable[None, :] * total[:, None]
    better = (theirs > ours) | ((theirs == ours) & (place[None, :] > place[:, None]))
    return held & ~(held & better).any(1) & (100 * favourable >= percent * total)


def _useful(table: PlacedView) -> Array:
    """bool [players - 1, hand_size]: playable cards that are not fully known."""
    return ((table.shown & table.playable) != 0) & (table.color_unknown | table.rank_unknown)


def _next_player(table: PlacedView) -> Array:
    """bool [players - 1, 1]"""
    return jnp.arange(table.game.players - 1)[:, None] == 0


def _turn_order(table: PlacedView) -> Array:
    """int32 [players - 1, hand_size]: the next player's cards come first, from left to right."""
    return jnp.arange(table.game.players - 1)[:, None] * table.game.hand_size + table.places[1:]


def _seat_order(table: PlacedView) -> Array:
    """int32 [players - 1, hand_size]: the cards of the lowest seat come first, from left to right."""
    return table.seats[:, None] * table.game.hand_size + table.places[1:]


def _touched(table: PlacedView, color: Array, rank: Array) -> tuple[Array, Array]:
    """int32 [players - 1, colors] and [players - 1, ranks]: the cards in `color` with each colour, in `rank` with each
    rank."""
    shown = table.shown[:, None, :]
    by_color = ((shown & table.columns[:, None]) != 0) & color[:, None, :]
    by_rank = ((shown & table.rows[:, None]) != 0) & rank[:, None, :]
    return by_color.sum(-1, dtype=jnp.int32), by_rank.sum(-1, dtype=jnp.int32)


def _tell_about(table: PlacedView, color: Array, rank: Array) -> Weights:
    """The colour of the cards in `color` and the rank of those in `rank`, each card once."""
    return _tell(table, *_touched(table, color, rank))


def _tell(table: PlacedView, by_color: Array, by_rank: Array) -> Weights:
    hints = jnp.concatenate([by_color.reshape(-1), by_rank.reshape(-1)]).astype(jnp.int32)
    return jnp.pad(jnp.where(table.can_tell, hints, 0), (2 * table.game.hand_size, 0))


def _discard(table: PlacedView, cards: Array) -> Weights:
    return jnp.pad((cards & table.can_discard).astype(jnp.int32), (0, table.game.num_actions - table.game.hand_size))


def _play(table: PlacedView, cards: Array) -> Weights:
    size = table.game.hand_size
    return jnp.pad(cards.astype(jnp.int32), (size, table.game.num_actions - 2 * size))
