"""A view that was packed into words and unpacked is the same view."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from coplay.games import make
from coplay.views.packed import pack_view, unpack_view, view_words


@pytest.mark.parametrize(("name", "settings"), [("hanabi-very-small", {}), ("overcooked", {"layout": "cramped_room"})])
def test_views_survive_the_wire(name: str, settings: dict) -> None:
    game = make(name, **settings)
    state = game.reset(jax.random.key(3))
    for seat in range(game.players):
        view = game.view(state, seat)
        words = np.asarray(jax.jit(pack_view)(view))
        assert words.shape == (view_words(game),)
        back = jax.jit(lambda words: unpack_view(game, words))(words)
        for before, after in zip(jax.tree.leaves(view), jax.tree.leaves(back), strict=True):
            assert np.asarray(before).dtype == after.dtype
            np.testing.assert_array_equal(before, after)
