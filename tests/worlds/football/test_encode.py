"""A GPU and a CPU write the same bytes, each in its own way."""

from __future__ import annotations

from operator import itemgetter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.worlds.football import encode, pitch, view
from coplay.worlds.football.actions import SCALE
from tests.worlds.football.matches import small

PLAYERS = 4
FARTHEST = 2 * (pitch.LENGTH + pitch.MARGIN)  # between any two places, and from one end of the pitch


def numbers(batch: tuple[int, ...], seed: int = 0) -> list[jax.Array]:
    rng = np.random.default_rng(seed)
    widths = [PLAYERS] * len(encode._PLAYERS) + [1] * len(encode._BALL_NUMBERS + encode._MATCH_NUMBERS)
    spans = rng.choice([2, SCALE, encode.FULL, FARTHEST], len(widths))
    return [
        jnp.asarray(rng.integers(-span, span, (*batch, width), endpoint=True), jnp.int32)
        for span, width in zip(spans, widths, strict=True)
    ]


@pytest.mark.parametrize("batch", [(), (7,), (5, PLAYERS), (2, 3, PLAYERS)])
def test_by_row_and_by_column_are_the_same_bytes(batch):
    for seed in range(5):
        drawn = numbers(batch, seed)
        rows, columns = (
            jax.jit(write, static_argnums=0)(PLAYERS, drawn) for write in (encode.by_row, encode.by_column)
        )
        assert rows.shape == (*batch, encode.size(PLAYERS))
        np.testing.assert_array_equal(rows, columns)


def test_numbers_fit_into_16_bits():
    assert max(FARTHEST, SCALE, encode.FULL, encode.RUNNING, pitch.SHOT_SPEED + encode.RUNNING) < 2**15


def test_a_batch_is_encoded_as_its_members_are_whatever_is_mapped():
    game = small("football?players=2")
    states = jax.vmap(game.reset)(jax.random.split(jax.random.key(0), 3))
    seats = jnp.arange(game.players)

    def seen(state, seat):
        return game.encode(view.view(game, state, seat))

    members = [jax.tree.map(itemgetter(number), states) for number in range(3)]
    single = np.stack([[seen(state, seat) for seat in seats] for state in members])
    by_match = jax.vmap(lambda state: jax.vmap(lambda seat: seen(state, seat))(seats))(states)
    by_seat = jax.vmap(lambda seat: jax.vmap(lambda state: seen(state, seat))(states), out_axes=1)(seats)
    np.testing.assert_array_equal(by_match, single)
    np.testing.assert_array_equal(by_seat, single)
