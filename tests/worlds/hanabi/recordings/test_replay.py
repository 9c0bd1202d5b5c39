"""Views of a recorded game are those of the game played step by step, up to its last move and no further."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.data import DataError
from coplay.worlds.hanabi.recordings import Games, replay_views


def same(one, other) -> bool:
    return all(jax.tree.leaves(jax.tree.map(lambda a, b: bool(np.array_equal(a, b)), one, other)))


def at(tree, *place: int):
    return jax.tree.map(lambda leaf: leaf[place], tree)


def test_views_are_those_of_the_game_played_by_hand(games: Games):
    game, actions, length = games.game, games.actions[2], games.lengths[2]
    acting, mask = jax.device_get(replay_views(game, games.decks[2], actions, length))
    everyone, _ = jax.device_get(replay_views(game, games.decks[2], actions, length, seats="all"))
    assert mask.tolist() == (np.arange(len(actions)) < length).tolist()
    look = jax.jit(game.view)
    move = jax.jit(game.step)
    state = game.deal(games.decks[2])
    for turn in range(length):
        assert same(at(acting, turn), look(state, turn % 3))
        for seat in range(3):
            assert same(at(everyone, turn, seat), look(state, seat))
        state = move(state, jnp.full(3, actions[turn])).state
    assert int(game.score(state)) == games.scores[2]


def test_nothing_moves_after_the_last_recorded_move(games: Games):
    """Whatever the padding holds: legal moves, the no-op, -1."""
    game, length = games.game, 12
    views = []
    for filler in (games.actions[0], np.full_like(games.actions[0], 30), np.full_like(games.actions[0], 5)):
        actions = np.where(np.arange(len(filler)) < length, games.actions[0], filler)
        views.append(jax.device_get(replay_views(game, games.decks[0], actions, length)[0]))
    assert same(views[0], views[1])
    assert same(views[0], views[2])
    assert same(at(views[0], length), at(views[0], len(games.actions[0]) - 1))
    assert not same(at(views[0], length - 1), at(views[0], length))


def test_a_batch_of_games_is_one_call_and_every_move_is_legal(games: Games):
    views, mask = jax.vmap(functools.partial(replay_views, games.game))(games.decks, games.actions, games.lengths)
    legal = jax.jit(jax.vmap(jax.vmap(games.game.legal)))(views)
    chosen = np.take_along_axis(np.asarray(legal), np.maximum(games.actions, 0)[..., None], axis=2)[..., 0]
    assert chosen[np.asarray(mask)].all()
    assert int(mask.sum()) == games.lengths.sum()


def test_seats_are_checked(games: Games):
    with pytest.raises(DataError, match="seats='mine': choose 'acting'"):
        replay_views(games.game, games.decks[0], games.actions[0], 3, seats="mine")  # pyright: ignore
