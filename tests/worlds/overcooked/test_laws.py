"""The laws of all games, the mirror images, and the words."""

from __future__ import annotations

import jax
import pytest

from coplay.testing import check_game
from tests.worlds.overcooked.kitchens import DISH, ONION, SOUP, make


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"layout": "inverse_marshmallow_experiment", "dynamics": "new"},
        {"layout": "large_room", "chefs": 3, "encoding": "lossless_2019", "events": "zsc_eval"},
    ],
)
def test_overcooked_keeps_the_laws_of_games(settings: dict) -> None:
    check_game(make(horizon=30, **settings), games=4)


def test_only_kitchens_that_look_the_same_have_mirror_images() -> None:
    assert len(make().symmetries) == 1
    mirrors = make(layout="inverse_marshmallow_experiment", dynamics="new").symmetries
    assert len(mirrors) == 2
    assert mirrors[1].actions.tolist() == [0, 1, 3, 2, 4, 5]
    assert mirrors.sample(jax.random.key(1)).bits.shape == mirrors[0].bits.shape


def test_a_view_reads_as_text() -> None:
    game = make()
    state = game.place(
        [(1, 1), (3, 2)],
        held=[ONION, SOUP],
        held_soups=[None, (3, 0, 20)],
        objects={(0, 0): DISH, (2, 0): (SOUP, 3, 0, 12)},
        time=7,
    )
    text = game.view(state, 1).text()
    assert "Step 7 of 400" in text
    assert "You are at (3, 2), facing north (floor), and hold a soup of 3 onions." in text
    assert "Chef 0 is at (1, 1), facing north (counter), and holds an onion." in text
    assert "The pot at (2, 0) cooks 3 onions, ready in 8." in text
    assert "On counters: a dish at (0, 0)." in text
    assert "  XdX P X X\n  O ^0. . O\n" in text


def test_a_view_gives_plain_arrays() -> None:
    game = make()
    state = game.place([(1, 1), (3, 2)], held=[ONION, DISH], objects={(0, 2): ONION, (2, 0): (SOUP, 2, 0, -1)})
    view = game.view(state, 1)
    assert view.positions.tolist() == [[3, 2], [1, 1]]
    assert view.held.tolist() == [DISH, ONION]
    assert view.pot_contents.tolist() == [[2, 0]]
    assert view.pot_remaining.tolist() == [-1]
    assert int(view.lying[2, 0]) == ONION
    assert view.legal.all()
