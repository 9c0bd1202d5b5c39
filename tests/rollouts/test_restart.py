"""Endless play: finished games begin anew."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest

import coplay
from coplay.rollouts.restart import finished, restart

GAME: Any = coplay.make("hanabi-very-small")


def positions(done: list[bool]) -> Any:
    states = jax.jit(jax.vmap(GAME.reset))(jax.random.split(jax.random.key(0), len(done)))
    return states._replace(done=jnp.asarray(done), drawn=states.drawn + 3)


@pytest.mark.parametrize("room", [1, 2, 5])
def test_at_most_room_finished_games_restart_and_the_rest_wait(room: int):
    done = [True, False, True, True, False]
    after = jax.jit(lambda states, key: restart(GAME, states, key, room))(positions(done), jax.random.key(1))
    waiting = finished(GAME, after)
    assert int(waiting.sum()) == max(3 - room, 0)
    fresh = after.drawn == GAME.players * GAME.hand_size
    assert int(fresh.sum()) == min(room, 3)
    assert not fresh[1]
    assert not fresh[4]


def test_restarted_games_get_different_deals():
    after = jax.jit(lambda states, key: restart(GAME, states, key, 5))(positions([True] * 5), jax.random.key(1))
    assert len({tuple(deck) for deck in after.deck.tolist()}) == 5
