"""A learned belief starts from plain facts and never contradicts them."""

from __future__ import annotations

from functools import cache
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.faces import Hidden, faces_of
from coplay.nets.belief import BeliefNetwork, guess, plain_odds, surprise
from coplay.nets.network import Design
from coplay.nets.policy import observe
from coplay.worlds.hanabi.belief import exact_hands


@cache
def position() -> tuple[Any, Any, Any]:
    """A small game after two hints, its face, and a state in which seat 0 knows something of its hand."""
    game: Any = coplay.make("hanabi", players=2, colors=2, ranks=3, hand_size=3)
    face = faces_of(game).belief
    assert isinstance(face, Hidden)
    state, step = jax.jit(game.reset)(jax.random.key(3)), jax.jit(game.step)
    legal = jax.jit(lambda state, seat: game.legal(game.view(state, seat)))
    for seat in (0, 1):
        hints = np.flatnonzero(np.asarray(legal(state, seat)))
        state = step(state, jnp.full(2, int(hints[-1 - seat]))).state
    return game, face, state


@cache
def new_network(leaning: bool) -> BeliefNetwork:
    game, face, _ = position()
    design = Design(game.observation_shape, game.num_actions, embed=8, hidden=8, actor=8)
    network = eqx.filter_jit(lambda key: BeliefNetwork(key, design, *face.slots(game)))(jax.random.key(1))
    drawn = jax.random.normal(jax.random.key(2), network.out.weight.shape)
    return eqx.tree_at(lambda one: one.out.weight, network, drawn) if leaning else network


def features_of(network: BeliefNetwork) -> Any:
    game, _, state = position()
    return network.step(network.start(), observe(game, game.view(state, 0)), jnp.float32)[1]


@eqx.filter_jit
def surprises(network: BeliefNetwork, hands: Any) -> Any:
    """Of each hand: nats that it costs the network, and the facts."""
    game, face, state = position()
    features, facts = features_of(network), face.facts(game, state, 0)
    plain = jax.vmap(lambda hand: plain_odds(face, facts, hand))(hands)
    return jax.vmap(lambda plain, hand: surprise(network, plain, features, hand, jnp.float32))(plain, hands)


@eqx.filter_jit
def guesses(network: BeliefNetwork, keys: Any) -> Any:
    game, face, state = position()
    features, facts = features_of(network), face.facts(game, state, 0)
    return jax.vmap(lambda key: guess(network, face, facts, features, key, jnp.float32))(keys)


def test_a_new_network_believes_the_facts():
    game, _, state = position()
    hands, likely = exact_hands(game.view(state, 0))
    told = surprises(new_network(leaning=False), jnp.asarray(hands, jnp.int32))
    np.testing.assert_allclose(told, np.stack([-np.log(likely)] * 2, 1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("leaning", [False, True])
def test_guesses_come_as_often_as_the_network_says_and_agree_with_all_facts(leaning: bool):
    game, _, state = position()
    hands, likely = exact_hands(game.view(state, 0))
    network = new_network(leaning)
    chances = np.exp(-np.asarray(surprises(network, jnp.asarray(hands, jnp.int32)))[:, 0])
    assert chances.sum() == pytest.approx(1, abs=1e-4), "all hands that the facts allow, and no other"
    assert leaning != np.allclose(chances, likely, atol=1e-4)
    drawn = np.asarray(guesses(network, jax.random.split(jax.random.key(5), 4000)))
    place = {tuple(hand): number for number, hand in enumerate(hands.tolist())}
    counts = np.bincount([place[tuple(hand)] for hand in drawn.tolist()], minlength=len(hands))
    spread = np.sqrt(np.maximum(chances * (1 - chances) / 4000, 1e-6))
    assert (np.abs(counts / 4000 - chances) < 5 * spread).all()


def test_a_guessed_world_looks_the_same_to_its_seat():
    game, face, state = position()
    values = guesses(new_network(leaning=True), jax.random.key(1)[None])[0]
    world = face.place(game, state, 0, values, jax.random.key(2))
    np.testing.assert_array_equal(face.hidden(game, world, 0), values)
    for old, new in zip(*(jax.tree.leaves(game.view(one, 0)) for one in (state, world)), strict=True):
        np.testing.assert_array_equal(old, new)
