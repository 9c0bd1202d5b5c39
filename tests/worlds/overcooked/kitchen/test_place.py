"""States from plain values: exact round trips, and refusals that say what to write instead."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import coplay
from tests.worlds.overcooked.kitchens import DISH, ONION, SOUP, make, placed, same, step


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_snapshot_placed_again_is_the_same_state(seed: int) -> None:
    game = make()
    rng = np.random.default_rng(seed)
    state = game.reset(jax.random.key(0))
    for _ in range(int(rng.integers(1, 120))):
        state = step(game, state, *map(int, rng.choice(6, size=2, p=[0.1, 0.1, 0.1, 0.1, 0.05, 0.55]))).state
    again = placed(game, game.snapshot(state))
    assert same(game.snapshot(again), game.snapshot(state))
    for name in ("chefs", "pots", "lying"):
        assert [int(a) for a in getattr(again, name)] == [int(b) for b in getattr(state, name)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"positions": [(1, 1)]}, "one entry per chef"),
        ({"positions": [(0, 0), (1, 1)]}, "chefs stand on floor"),
        ({"positions": [(1, 1), (1, 1)]}, "never share a cell"),
        ({"positions": [(9, 1), (1, 1)]}, "outside cramped_room"),
        ({"positions": [5, (1, 1)]}, r"a cell is a pair \(x, y\)"),
        ({"facings": [0, 4]}, "0 north, 1 south, 2 east, 3 west"),
        ({"facings": [0]}, "one entry per chef"),
        ({"held": [0, 7]}, "1 onion, 2 dish, 3 soup"),
        ({"held": [3, 0]}, "say which soup"),
        ({"held": [3, 0], "held_soups": [(3, 0, 7), None]}, "must be ready"),
        ({"held": [3, 0], "held_soups": [(3, 1, 20), None]}, "are no soup"),
        ({"objects": {(1, 1): ONION}}, "things lie on counters or in pots"),
        ({"objects": {(2, 0): ONION}}, "pots hold soups"),
        ({"objects": {(2, 0): (SOUP, 3, 0, 21)}}, "give -1"),
        ({"objects": {(2, 0): (SOUP, 2, 0, 3)}}, "only full pots cook"),
        ({"objects": {(7, 7): DISH}}, "outside cramped_room"),
        ({"time": 401}, "at most the horizon"),
    ],
)
def test_an_impossible_state_is_refused_in_words(change: dict[str, Any], words: str) -> None:
    start: dict[str, Any] = {"positions": [(1, 1), (2, 1)]} | change
    with pytest.raises(coplay.GameError, match=words):
        make().place(**start)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"layout": "cramped_rom"}, "Did you mean 'cramped_room'"),
        ({"horizon": 0}, "at least 1"),
        ({"dynamics": "modern"}, "old, new"),
        ({"events": "all"}, "overcooked_ai, zsc_eval"),
        ({"encoding": "rgb"}, "lossless, minimal, lossless_2019, bc_features"),
        ({"encoding": "lossless_2019", "layout": "you_shall_not_pass"}, "cannot show tomatoes"),
        ({"encoding": "bc_features", "chefs": 3}, "made for 2 chefs"),
        ({"chefs": 0}, "at least 1"),
        ({"chefs": 7}, "has room for 6"),
        ({"kitchen": "cramped_room"}, "unknown setting"),
    ],
)
def test_a_bad_setting_is_refused_in_words(settings: dict, words: str) -> None:
    with pytest.raises(coplay.GameError, match=words):
        coplay.make("overcooked", **settings)


def test_bad_seats_and_action_counts_are_refused() -> None:
    game = make()
    state = game.reset(jax.random.key(0))
    with pytest.raises(coplay.GameError, match="seats are 0 to 1"):
        game.view(state, 2)
    with pytest.raises(coplay.GameError, match="one action per seat"):
        game.step(state, jnp.zeros(3, jnp.int32))
