"""A view is asked for by the number of a seat that exists."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from coplay.game import GameError
from coplay.games import make
from coplay.inputs import checked_seat


@pytest.mark.parametrize("seat", [0, 1, np.int64(1), jnp.int32(1)])
def test_whole_numbers_below_the_number_of_players_are_seats(seat):
    assert int(checked_seat(seat, 2)) == int(seat)


@pytest.mark.parametrize("seat", [-1, 2, 1.0, 0.5, "0", None, [0], jnp.float32(1), jnp.int32(5)])
def test_anything_else_is_refused(seat):
    with pytest.raises(GameError, match="seats are 0 to 1, in whole numbers"):
        checked_seat(seat, 2)


def test_a_traced_seat_must_be_whole():
    with pytest.raises(GameError, match="whole number"):
        jax.eval_shape(lambda seat: checked_seat(seat, 2), jnp.float32(1))


@pytest.mark.parametrize("game", [make("hanabi"), make("overcooked")], ids=lambda game: game.name)
def test_games_refuse_half_a_seat(game):
    with pytest.raises(GameError, match=r"seat=0\.5"):
        game.view(game.reset(jax.random.key(0)), 0.5)


def test_kitchens_refuse_half_a_cell_and_things_nowhere():
    game = make("overcooked", layout="cramped_room")
    with pytest.raises(GameError, match=r"a cell is a pair"):
        game.place([(1.5, 1), (3, 1)])  # pyright: ignore[reportArgumentType]
    with pytest.raises(GameError, match="dictionary from cells"):
        game.place([(1, 1), (3, 1)], objects=[1])  # pyright: ignore[reportArgumentType]
    with pytest.raises(GameError, match="entries 0 to"):
        game.describe(1.5)  # pyright: ignore[reportArgumentType]
