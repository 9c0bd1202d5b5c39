"""The rules as sentences, played in the cramped room:

XXPXX
O  2O
X1  X
XDXSX
"""

from __future__ import annotations

from collections.abc import Mapping

import jax
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coplay.worlds.overcooked.kitchen.place import Thing
from tests.worlds.overcooked.kitchens import (
    DISH,
    EAST,
    INTERACT,
    NORTH,
    NOTHING,
    ONION,
    SOUP,
    SOUTH,
    STAY,
    WEST,
    flags,
    make,
    play,
    step,
)

POT = (2, 0)
BY_POT, AWAY = (2, 1), (1, 2)
READY = (SOUP, 3, 0, 20)


def spots(game, result) -> list[tuple[int, int]]:
    return [tuple(spot) for spot in game.snapshot(result.state)["pos"].tolist()]


def pot(game, result, cell=POT) -> tuple[int, ...]:
    now = game.snapshot(result.state)
    return tuple(int(now[name][cell[1], cell[0]]) for name in ("onions", "tomatoes", "tick"))


def held(game, result) -> list[int]:
    return game.snapshot(result.state)["held"].tolist()


def test_walking_into_a_standing_partner_fails_but_turns_you() -> None:
    game = make()
    after = step(game, game.place([(1, 1), (2, 1)]), EAST, STAY)
    assert spots(game, after) == [(1, 1), (2, 1)]
    assert game.snapshot(after.state)["ori"].tolist() == [2, 0]


def test_two_chefs_cannot_exchange_cells() -> None:
    game = make()
    assert spots(game, step(game, game.place([(1, 1), (2, 1)]), EAST, WEST)) == [(1, 1), (2, 1)]


def test_two_chefs_aiming_at_one_free_cell_both_stay() -> None:
    game = make()
    assert spots(game, step(game, game.place([(1, 1), (3, 1)]), EAST, WEST)) == [(1, 1), (3, 1)]


def test_moving_into_a_cell_that_is_being_left_works() -> None:
    game = make()
    assert spots(game, step(game, game.place([(1, 1), (2, 1)]), EAST, EAST)) == [(2, 1), (3, 1)]


def test_walls_stop_you_but_you_face_them() -> None:
    game = make()
    after = step(game, game.place([(1, 1), (3, 1)]), NORTH, EAST)
    assert spots(game, after) == [(1, 1), (3, 1)]
    assert game.snapshot(after.state)["ori"].tolist() == [0, 2]


def test_with_three_chefs_one_collision_stops_everybody() -> None:
    game = make(chefs=3)
    bumping = step(game, game.place([(1, 1), (2, 1), (3, 2)]), EAST, STAY, WEST)
    assert spots(game, bumping) == [(1, 1), (2, 1), (3, 2)]
    free = step(game, game.place([(1, 1), (2, 1), (3, 2)]), STAY, STAY, WEST)
    assert spots(game, free) == [(1, 1), (2, 1), (2, 2)]


def test_a_full_pot_cooks_by_itself_and_is_ready_after_twenty_steps() -> None:
    game = make()
    state = game.place([BY_POT, AWAY], held=[ONION, NOTHING], objects={POT: (SOUP, 2, 0, -1)})
    after = step(game, state, INTERACT, STAY)
    assert pot(game, after) == (3, 0, 1)
    assert after.events.shaped.tolist() == [3, 0]
    assert pot(game, play(game, after.state, *[(STAY, STAY)] * 18)) == (3, 0, 19)
    assert pot(game, play(game, after.state, *[(STAY, STAY)] * 40)) == (3, 0, 20)


def test_new_dynamics_wait_for_an_empty_handed_interact() -> None:
    game = make(dynamics="new")
    state = game.place([BY_POT, AWAY], objects={POT: (SOUP, 2, 0, -1)})
    assert pot(game, step(game, state, STAY, STAY)) == (2, 0, -1)
    assert pot(game, step(game, state, INTERACT, STAY)) == (2, 0, 1)


def test_a_soup_nobody_ordered_can_be_served_for_nothing() -> None:
    game = make(dynamics="new")
    state = game.place([(3, 2), AWAY], facings=[SOUTH, NORTH], held=[SOUP, NOTHING], held_soups=[(2, 0, 20), None])
    after = step(game, state, INTERACT, STAY)
    assert float(after.reward) == 0
    assert held(game, after) == [NOTHING, NOTHING]


def test_a_dish_takes_only_a_ready_soup() -> None:
    game = make()
    cooking = game.place([BY_POT, AWAY], held=[DISH, NOTHING], objects={POT: (SOUP, 3, 0, 18)})
    assert held(game, step(game, cooking, INTERACT, STAY)) == [DISH, NOTHING]
    ready = game.place([BY_POT, AWAY], held=[DISH, NOTHING], objects={POT: READY})
    after = step(game, ready, INTERACT, STAY)
    assert held(game, after) == [SOUP, NOTHING]
    assert pot(game, after) == (0, 0, -1)
    assert after.events.shaped.tolist() == [5, 0]


def test_serving_a_soup_pays_twenty_to_the_team() -> None:
    game = make()
    state = game.place([(3, 2), AWAY], facings=[SOUTH, NORTH], held=[SOUP, NOTHING], held_soups=[(3, 0, 20), None])
    after = step(game, state, INTERACT, STAY)
    assert float(after.reward) == 20
    assert int(game.score(after.state)) == 20
    assert flags(game, after, 0) == {"soup_delivery"}


def test_seat_one_sees_what_seat_zero_did_in_the_same_step() -> None:
    ring = make(layout="coordination_ring")  # (2, 2) is a counter between (1, 2) and (3, 2)
    handed = ring.place([(1, 2), (3, 2)], facings=[EAST, WEST], held=[ONION, NOTHING])
    assert held(ring, step(ring, handed, INTERACT, INTERACT)) == [NOTHING, ONION]
    late = ring.place([(1, 2), (3, 2)], facings=[EAST, WEST], held=[NOTHING, ONION])
    assert held(ring, step(ring, late, INTERACT, INTERACT)) == [NOTHING, NOTHING]


def test_a_dish_pays_only_while_a_soup_is_under_way_and_no_dish_lies_about() -> None:
    game = make()

    def takes_a_dish(objects: Mapping[tuple[int, int], Thing]) -> list[int]:
        state = game.place([AWAY, (3, 1)], facings=[SOUTH, NORTH], objects=objects)
        return step(game, state, INTERACT, STAY).events.shaped.tolist()

    assert takes_a_dish({}) == [0, 0]
    assert takes_a_dish({POT: (SOUP, 1, 0, -1)}) == [3, 0]
    assert takes_a_dish({POT: (SOUP, 1, 0, -1), (0, 0): DISH}) == [0, 0]


def test_an_unknown_action_refuses_the_whole_step() -> None:
    game = make()
    state = game.reset(jax.random.key(0))
    after = step(game, state, NORTH, 6)
    assert after.events.illegal.tolist() == [False, True]
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), after.state, state))


def test_the_horizon_cuts_off_and_freezes() -> None:
    game = make(horizon=3)
    end = play(game, game.reset(jax.random.key(0)), *[(STAY, STAY)] * 3)
    assert bool(end.done)
    assert bool(end.events.truncated)
    later = step(game, end.state, NORTH, EAST)
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), later.state, end.state))
    assert not game.legal(game.view(later.state, 0)).any()
    assert not game.turn(later.state).any()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["old", "new"]))
def test_nothing_appears_but_from_dispensers_and_nothing_vanishes_but_over_the_counter(
    seed: int, dynamics: str
) -> None:
    game = make(dynamics=dynamics)
    rng = np.random.default_rng(seed)
    state = game.reset(jax.random.key(0))
    for _ in range(60):
        before = ingredients(game.snapshot(state))
        actions = rng.choice(6, size=2, p=[0.1, 0.1, 0.1, 0.1, 0.05, 0.55])
        after = step(game, state, *map(int, actions))
        deeds = [flags(game, after, seat) for seat in range(2)]
        change = ingredients(game.snapshot(after.state)) - before
        served = sum("soup_delivery" in deed for deed in deeds)
        assert change[0] >= -3 * served
        if not any(deed & {"onion_pickup", "dish_pickup", "soup_delivery"} for deed in deeds):
            assert (change == 0).all()
        state = after.state


def ingredients(now) -> np.ndarray:
    """(onions, dishes) in the kitchen; a plated soup holds its dish."""
    onions = (now["held"] == ONION).sum() + now["held_soup"][:, 0].sum() + (now["obj"] == ONION).sum()
    onions += now["onions"].sum()
    soups = (now["held"] == SOUP).sum() + ((now["obj"] == SOUP).sum() - (now["obj"][0, 2] == SOUP))
    dishes = (now["held"] == DISH).sum() + (now["obj"] == DISH).sum() + soups
    return np.asarray([onions, dishes])


@pytest.mark.parametrize("chefs", [1, 4])
def test_any_number_of_chefs_can_cook(chefs: int) -> None:
    game = make(chefs=chefs)
    state = game.reset(jax.random.key(0))
    assert game.players == chefs
    assert len(set(map(tuple, game.snapshot(state)["pos"].tolist()))) == chefs
    assert game.encode(game.view(state, chefs - 1)).shape == game.observation_shape == (5, 4, 16 + 5 * chefs)
