"""Turning a bot's preferences into one legal action id."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np

from coplay.worlds.hanabi.bots.identity_sets import hint_sets, known_rank
from coplay.worlds.hanabi.settings import Hanabi
from coplay.worlds.hanabi.view import View

Array = jax.Array


def first_that_applies(options: Sequence[tuple[Array, Array]], otherwise: Array) -> Array:
    """The action of the first option whose condition holds."""
    chosen = otherwise
    for applies, action in reversed(options):
        chosen = jnp.where(applies, action, chosen)
    return chosen.astype(jnp.int32)


def best_slot(fitness: Array, among: Array) -> Array:
    """int32: the slot with the largest fitness (non-negative integers) in the mask, the oldest on ties; 0 if none."""
    return jnp.argmax(jnp.where(among, fitness, -1)).astype(jnp.int32)


def discard_action(slot: Array) -> Array:
    return slot.astype(jnp.int32)


def play_action(game: Hanabi, slot: Array) -> Array:
    return slot.astype(jnp.int32) + game.hand_size


def hint_actions(game: Hanabi) -> np.ndarray:
    """int32 [others, hint colors + ranks]: action ids by partner (next player first) and hint, colours before ranks."""
    others = np.arange(game.players - 1)[:, None]
    by_color = 2 * game.hand_size + others * game.hint_colors + np.arange(game.hint_colors)
    first_rank = 2 * game.hand_size + (game.players - 1) * game.hint_colors
    by_rank = first_rank + others * game.ranks + np.arange(game.ranks)
    return np.concatenate([by_color, by_rank], axis=1).astype(np.int32)


def rank_hint_action(game: Hanabi, partner: int, card: Array) -> Array:
    """Names the rank of `card`, a one-element set, to the player `partner` seats after me."""
    return jnp.int32(hint_actions(game)[partner - 1, game.hint_colors]) + known_rank(game, card)


def touches(game: Hanabi, shown: Array) -> Array:
    """bool [others, hint colors + ranks, hand_size]: the cards each hint would touch; `shown` are one-element sets."""
    return (shown[:, None, :] & hint_sets(game)[None, :, None]) != 0


def best_hint(game: Hanabi, fitness: Array) -> tuple[Array, Array]:
    """(is there one, action id): the hint with the largest positive fitness int [others, hints], the first on ties."""
    flat = fitness.reshape(-1)
    choice = jnp.argmax(flat)
    actions = jnp.asarray(hint_actions(game)[: fitness.shape[0]].reshape(-1))
    return flat.max() > 0, actions[choice]


def legal_or_fallback(view: View, action: Array) -> Array:
    """The action if it is legal; otherwise the first legal one of: discarding the oldest card, a hint (next player and
    colours first), playing the oldest card."""
    game = view.game
    legal = game.legal(view)
    size = game.hand_size
    order = np.concatenate([[0], np.arange(2 * size, game.num_actions), np.arange(size, 2 * size)]).astype(np.int32)
    fallback = jnp.asarray(order)[jnp.argmax(legal[order])]
    allowed = (action >= 0) & legal[jnp.clip(action, 0, game.num_actions - 1)]
    return jnp.where(allowed, action, fallback).astype(jnp.int32)
