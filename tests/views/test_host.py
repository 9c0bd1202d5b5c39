"""What a plain agent is given is its own: it may write to it, and nobody else notices."""

from typing import NamedTuple

import jax
import numpy as np
import pytest

import coplay
from coplay.views.host import Views, batch_of, host_views, view_text

GAME = coplay.make("hanabi-very-small")


@pytest.fixture
def states():
    return jax.vmap(GAME.reset)(jax.random.split(jax.random.key(0), 3))


@pytest.mark.parametrize("name", ["vector", "legal", "cards", "possible"])
def test_an_agent_may_write_to_what_it_sees(states, name):
    first, second, _ = host_views(GAME, states, 0, np.arange(3))
    other = getattr(second, name).copy()
    seen = getattr(first, name)
    seen[...] = ~seen if seen.dtype == bool else seen + 1
    assert np.array_equal(getattr(second, name), other)
    fresh = getattr(host_views(GAME, states, 0, np.arange(3))[0], name)
    assert not np.array_equal(fresh, seen)


def test_whole_arrays_of_many_games_are_copies(states):
    batch = batch_of(GAME, states, 0)
    views = Views(batch, np.arange(3), 0)
    views.vector[...] = 7
    views.legal[...] = False
    assert views.vector.max() == 1
    assert views.legal.any()
    assert views[1].vector.max() == 1


class Place(NamedTuple):
    x: np.ndarray
    y: np.ndarray


def test_a_view_without_words_is_told_in_its_numbers_without_noise():
    view = {"speed": np.float32(1.4), "places": Place(np.arange(2), np.array([0.1, -2.5], np.float32)), "on": True}
    assert view_text(view).splitlines() == ["speed: 1.4", "places: Place(x=[0, 1], y=[0.1, -2.5])", "on: True"]
