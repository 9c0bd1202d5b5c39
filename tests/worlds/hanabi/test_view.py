"""A seat sees the others' cards and never its own."""

from __future__ import annotations

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coplay
from coplay.agents.random import random_legal


@cache
def tools(players: int) -> tuple[Any, Any, Any]:
    """A game, a function (seed, turns) -> position in a random game, and (state, seat key) -> views before and after
    the hidden cards change."""
    game: Any = coplay.make("hanabi", players=players)

    def position(key: Any, turns: Any) -> Any:
        def turn(t: Any, state: Any) -> Any:
            legal = jax.vmap(lambda seat: game.legal(game.view(state, seat)))(jnp.arange(players)).any(0)
            # Prefer hints and discards: random plays end a game within a few turns.
            careful = legal & ~((jnp.arange(game.num_actions) // game.hand_size) == 1)
            bits = jax.random.bits(jax.random.fold_in(key, t), (), jnp.uint32)
            action = random_legal(jnp.where(careful.any(), careful, legal), bits)
            return game.step(state, jnp.full(players, action)).state

        return jax.lax.fori_loop(0, turns, turn, game.reset(key))

    def views(state: Any, key: Any) -> tuple[Any, Any]:
        def seen(state: Any, seat: Any) -> Any:
            view = game.view(state, seat)
            return view, game.encode(view), game.legal(view)

        def pair(seat: Any) -> tuple[Any, Any]:
            other = game.change_hidden(state, seat, jax.random.fold_in(key, seat))
            both = jax.tree.map(lambda *leaves: jnp.stack(leaves), state, other)
            return jax.vmap(seen, (0, None))(both, seat)  # one program for the two, half as long to compile

        found = jax.vmap(pair, out_axes=1)(jnp.arange(players))
        return jax.tree.map(lambda leaf: leaf[0], found), jax.tree.map(lambda leaf: leaf[1], found)

    return game, jax.jit(position), jax.jit(views)


@pytest.mark.parametrize("players", [2, 3, 4, 5])
@given(seed=st.integers(0, 2**31 - 1), turns=st.integers(0, 70))
@settings(max_examples=25, deadline=None, derandomize=True)
def test_permuting_what_a_seat_cannot_see_never_changes_its_view(players: int, seed: int, turns: int):
    _, position, views = tools(players)
    key = jax.random.key(seed)
    before, after = views(position(key, turns), key)
    for a, b in zip(jax.tree.leaves(before), jax.tree.leaves(after), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_hidden_cards_really_change():
    game, position, _ = tools(3)
    view, change = jax.jit(game.view), jax.jit(game.change_hidden)
    state = position(jax.random.key(0), 20)
    changed = [change(state, 1, jax.random.key(k)) for k in range(5)]
    seen_by_another = {tuple(view(other, 0).cards[1].tolist()) for other in changed}
    assert len(seen_by_another) > 1
    drawn = int(state.drawn)
    before = sorted([*np.asarray(state.deck)[drawn:].tolist(), *view(state, 0).cards[1].tolist()])
    after = sorted([*np.asarray(changed[0].deck)[drawn:].tolist(), *view(changed[0], 0).cards[1].tolist()])
    assert before == after


def test_a_view_names_its_parts():
    game: Any = coplay.make("hanabi", players=3)
    state = jax.jit(game.reset)(jax.random.key(5))
    deck = np.asarray(game.deck_of(state))
    hint = 2 * 5 + 1 * 5 + int(deck[10, 0])  # colour of seat 2's oldest card, told by seat 0
    view = jax.jit(game.view)(jax.jit(game.step)(state, jnp.full(3, hint)).state, 1)
    assert view.to_move == 0
    assert (view.cards[0] == -1).all()
    assert view.cards[1].tolist() == (deck[10:15, 0] * 5 + deck[10:15, 1]).tolist()  # seat 2 is the next player
    move = {name: np.asarray(value).tolist() for name, value in view.last_move.items()}
    assert (move["kind"], move["actor"], move["target"]) == (3, 2, 1)
    assert move["touched"] == (deck[10:15, 0] == deck[10, 0]).tolist()
    assert view.color_told[1].tolist() == move["touched"]
    assert view.deck_size == 35
    assert view.fireworks.tolist() == [0] * 5


def test_the_jaxmarl_encoding_weighs_possible_cards_by_the_copies_left():
    game: Any = coplay.make("hanabi", encoding="jaxmarl")
    canonical: Any = coplay.make("hanabi")
    state, step = jax.jit(game.reset)(jax.random.key(2)), jax.jit(game.step)
    for action in (10, 11, 0, 5):
        state = step(state, jnp.full(2, action)).state
    vector = np.asarray(jax.jit(lambda state: game.encode(game.view(state, 0)))(state))
    bits = np.asarray(jax.jit(lambda state: canonical.encode(canonical.view(state, 0)))(state))
    np.testing.assert_array_equal(vector[:308], bits[:308])
    belief, told = vector[308:].reshape(10, 35)[:, :25], vector[308:].reshape(10, 35)[:, 25:]
    np.testing.assert_array_equal(told, bits[308:].reshape(10, 35)[:, 25:])
    view = jax.jit(canonical.view)(state, 0)
    left = np.asarray(game.copies) - np.asarray(view.discards) - (np.arange(5) < np.asarray(view.fireworks)[:, None])
    weight = np.asarray(view.possible).reshape(10, 25) * left.reshape(-1)
    np.testing.assert_allclose(belief, weight / weight.sum(1, keepdims=True), atol=1e-6)
