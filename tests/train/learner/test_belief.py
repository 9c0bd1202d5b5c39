"""A belief that is learned from games comes near the exact one."""

from __future__ import annotations

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import coplay
from coplay.faces import faces_of
from coplay.nets.belief import plain_odds, surprise
from coplay.nets.policy import masked, observation_scale, observe, reader
from coplay.train.learner.belief import BeliefSettings, design_of, learn_belief, new_beliefs
from coplay.worlds.hanabi.hidden import with_hidden
from tests.train.toy import design, random_network, stack

TURNS, GAMES = 8, 400
SETTINGS = BeliefSettings(turns=2e5, games=32, rollout=8, learning_rate=1e-2, embed=32, hidden=32, decoder=32)


def speaking_game() -> tuple[Any, Any, Any]:
    """Hanabi with one card per hand, and a player whose moves tell a lot about what it sees."""
    rules: dict[str, Any] = {"colors": 2, "ranks": 2, "hand_size": 1, "info_tokens": 3, "life_tokens": 3}
    game = reader(coplay.make("hanabi", players=2, **rules))
    drawn = random_network(design(game), seed=2)
    return game, faces_of(game).belief, eqx.tree_at(lambda one: one.actor.weight, drawn, 30 * drawn.actor.weight)


def log_chances(game: Any, player: Any, state: Any) -> Any:
    """Of all actions of the seat to move."""
    view = game.view(state, jnp.argmax(game.turn(state)))
    _, features = player.step((), observe(game, view))
    logits, _ = player.heads(features, jnp.zeros(0, jnp.uint8))
    return jax.nn.log_softmax(masked(logits, game.legal(view)))


def played(game: Any, player: Any, key: Any) -> tuple[Any, Any]:
    """States before every turn and the moves, [turns, games, ...]."""

    def one(states: Any, key: Any) -> Any:
        logs = jax.vmap(lambda state: log_chances(game, player, state))(states)
        moves = jax.random.categorical(key, logs)
        after = jax.vmap(game.step)(states, jnp.broadcast_to(moves[:, None], (GAMES, 2))).state
        return after, (states, moves)

    states = jax.vmap(game.reset)(jax.random.split(key, GAMES))
    return jax.lax.scan(one, states, jax.random.split(jax.random.fold_in(key, 1), TURNS))[1]


def exact(game: Any, face: Any, player: Any, states: Any, moves: Any, seat: int) -> Any:
    """log chance of every card the seat may hold before each turn, [turns, games, cards]: as many copies as it does not
    see, times how likely each of the other's moves was while it held the card."""

    def of_card(card: Any) -> Any:
        def likelihood(state: Any, move: Any) -> Any:
            world = with_hidden(state, seat, card[None], state.deck)
            return log_chances(game, player, world)[move]

        return jax.vmap(jax.vmap(likelihood))(states, moves)

    said = jax.vmap(of_card)(jnp.arange(game.num_identities))  # [cards, turns, games]
    mine = jax.vmap(jax.vmap(lambda state: game.turn(state)[seat]))(states)

    def along(total: Any, now: Any) -> Any:
        said, mine, move = now
        after = jnp.where(mine, jnp.where(move < 2 * game.hand_size, 0, total), total + said)
        return after, total

    _, before = jax.lax.scan(along, jnp.zeros_like(said[:, 0]), (jnp.moveaxis(said, 1, 0), mine, moves))
    unseen = jax.vmap(jax.vmap(lambda state: face.facts(game, state, seat).unseen))(states)
    odds = jnp.where(unseen > 0, jnp.log(jnp.maximum(unseen, 1)), -jnp.inf) + jnp.moveaxis(before, 1, 2)
    return jax.nn.log_softmax(odds)


def guessed(game: Any, face: Any, belief: Any, states: Any, seat: int) -> tuple[Any, Any]:
    """The truth about the seat's card before every turn, and the nats that it costs the network."""
    truth = jax.vmap(jax.vmap(lambda state: face.hidden(game, state, seat)))(states)
    views = jax.vmap(jax.vmap(lambda state: observe(game, game.view(state, seat))))(states)
    start = jax.tree.map(lambda leaf: jnp.broadcast_to(leaf, (GAMES, *leaf.shape)), belief.start())
    _, features = belief.unroll(start, views, jnp.zeros((TURNS, GAMES), bool), jnp.float32)
    plain = jax.vmap(jax.vmap(lambda state, card: plain_odds(face, face.facts(game, state, seat), card)))(states, truth)
    return truth, surprise(belief, plain, features, truth, jnp.float32)[..., 0]


@pytest.mark.slow
def test_what_it_believes_is_within_two_percent_of_what_can_be_known():
    game, face, player = speaking_game()
    shape = design_of(game, observation_scale(game), SETTINGS)
    beliefs = new_beliefs(jax.random.split(jax.random.key(0), 1), game, face, shape)
    *_, (beliefs, told) = learn_belief(game, face, stack(player), beliefs, SETTINGS, jax.random.key(1), jnp.float32)
    assert float(told.cross_entropy[0]) < 0.9 * float(told.by_facts[0]), "moves tell more than facts"
    belief = jax.tree.map(lambda leaf: leaf[0], beliefs)
    states, moves = eqx.filter_jit(played)(game, player, jax.random.key(9))
    seat = 0
    best = eqx.filter_jit(exact)(game, face, player, states, moves, seat)
    truth, learned = (np.asarray(column) for column in eqx.filter_jit(guessed)(game, face, belief, states, seat))
    known = -np.take_along_axis(np.asarray(best), np.maximum(truth, 0), axis=-1)[..., 0]
    open_question = (truth[..., 0] >= 0) & ~np.asarray(states.done)
    assert np.isfinite(known[open_question]).all()
    assert learned[open_question].mean() == pytest.approx(known[open_question].mean(), rel=0.02)
