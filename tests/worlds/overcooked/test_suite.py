"""The kitchens' suite: all starts of the paper, judged as the paper does."""

from __future__ import annotations

import numpy as np
import pytest

import coplay
from coplay.measure import MeasureError
from coplay.worlds.overcooked import suite as overcooked
from coplay.worlds.overcooked.bots.distances import floor_plan

# States per layout, as published with the paper.
PUBLISHED = {
    "bottleneck": 123,
    "large_room": 123,
    "counter_circuit": 123,
    "coordination_ring": 123,
    "centre_objects": 115,
    "centre_pots": 105,
}


def suite(layout: str):
    return {test.name: test for test in overcooked.suite(coplay.make("overcooked", layout=layout))}


@pytest.mark.parametrize("layout", PUBLISHED)
def test_every_published_start_is_there_and_possible(layout: str):
    tests = suite(layout)
    assert sum(test.num_starts for test in tests.values() if test.category != "place") == PUBLISHED[layout]
    for test in tests.values():
        starts = test.prepare(1, 0)  # `place` refuses impossible states
        assert len(starts.turns) == test.num_starts


def test_categories_of_the_paper():
    tests = suite("bottleneck")
    by_category = {
        name: {t.name for t in tests.values() if t.category == name} for name in ("state", "agent", "memory")
    }
    assert by_category["state"] == {"1aii", "1aiii", "1bi", "4c"}
    assert by_category["agent"] == {"1ai", "1bii", "2a", "2b"}
    assert by_category["memory"] == {"3ai", "3aii", "3aiii", "3bi", "3bii", "3biii"}
    assert {test.name for test in overcooked.suite(coplay.make("overcooked", layout="centre_pots"))} == (
        set(tests) - {"1ai", "1bii", "2a"}
    )


@pytest.mark.parametrize("layout", PUBLISHED)
@pytest.mark.parametrize(("spots", "dispenser"), [("off_onion_way", "O"), ("off_dish_way", "D")])
def test_an_unlikely_place_is_off_every_shortest_way_to_a_pot(layout: str, spots: str, dispenser: str):
    kitchen = coplay.make("overcooked", layout=layout).kitchen
    plan = floor_plan(kitchen)
    stands = {station: plan.goal_nodes[plan.goal_stations == station] // 4 for station in range(len(plan.stations))}
    by_pots = np.concatenate([stands[station] for station in np.flatnonzero(plan.at("P")).tolist()])
    for spot in overcooked._data()["spots"][spots].get(layout, []):
        here = plan.floor[kitchen.index(overcooked._cell(spot.split()[1]))]
        for source in np.flatnonzero(plan.at(dispenser)).tolist():
            usual = plan.apart[np.ix_(stands[source], by_pots)].min()
            assert plan.apart[stands[source], here].min() + plan.apart[here, by_pots].min() > usual, spot


def test_horizons_of_the_paper():
    assert suite("bottleneck")["3ai"].prepare(1, 0).turns[0] == 30
    assert suite("centre_pots")["3ai"].prepare(1, 0).turns[0] == 25
    assert suite("centre_objects")["1bii"].prepare(1, 0).turns[0] == 5
    assert suite("coordination_ring")["4c"].prepare(1, 0).turns[0] == 15


def test_facings_are_random_and_more_rollouts_keep_the_first():
    test = suite("bottleneck")["2b"]
    few, many = test.prepare(2, 7), test.prepare(40, 7)
    chefs = np.stack(many.states.chefs, 1).reshape(test.num_starts, 40, 2)
    assert (np.stack(few.states.chefs, 1).reshape(test.num_starts, 2, 2) == chefs[:, :2]).all()
    assert len(np.unique(chefs[0, :, 0])) == 4


def judged(success: str, before: dict, after: dict) -> bool:
    """A judge's verdict in cramped_room, from two descriptions for `place`."""
    game = coplay.make("overcooked", layout="cramped_room")

    def sight(scene: dict):
        state = game.place([(1, 1), (3, 1)], **scene)
        batch = state._replace(
            **{name: tuple(np.asarray([w]) for w in getattr(state, name)) for name in ("chefs", "pots", "lying")}
        )
        return overcooked._look(batch)

    return bool(overcooked.SUCCESS[success](sight(before), sight(after))[0])


SOUP = (3, 3, 0, 20)
POT, COUNTER, OTHER = (2, 0), (0, 2), (4, 2)


@pytest.mark.parametrize(
    ("success", "before", "after", "verdict"),
    [
        ("pots_changed", {"objects": {POT: (3, 2, 0, -1)}}, {"objects": {POT: (3, 3, 0, 0)}}, True),
        ("pots_changed", {"objects": {POT: (3, 2, 0, -1)}}, {"objects": {POT: (3, 2, 0, -1), COUNTER: 1}}, False),
        ("pots_changed", {}, {"objects": {COUNTER: SOUP}}, True),
        ("dish_or_soup", {"objects": {POT: SOUP}}, {"objects": {POT: SOUP}, "held": [0, 2]}, True),
        ("dish_or_soup", {"objects": {POT: SOUP}}, {"objects": {POT: SOUP}, "held": [2, 0]}, False),
        ("thing_taken", {"objects": {COUNTER: 1}}, {"held": [0, 1]}, True),
        ("thing_taken", {"objects": {COUNTER: 1}}, {"objects": {COUNTER: 1, OTHER: 2}}, False),
        ("soup_taken", {"objects": {COUNTER: SOUP}}, {"held": [0, 3], "held_soups": [None, SOUP[1:]]}, True),
        ("soup_taken", {"objects": {COUNTER: SOUP}}, {"held": [3, 0], "held_soups": [SOUP[1:], None]}, False),
        ("hand_changed", {"held": [0, 2]}, {"held": [0, 2]}, False),
        ("hand_changed", {"held": [0, 2]}, {"held": [0, 0]}, True),
        ("partner_served", {}, {"held": [3, 0], "held_soups": [SOUP[1:], None]}, False),
        ("partner_served", {}, {"held": [0, 0]}, True),
    ],
)
def test_judges(success: str, before: dict, after: dict, verdict: bool):
    assert judged(success, before, after) is verdict


def test_games_without_tests_are_told():
    with pytest.raises(MeasureError, match="no unit tests for the kitchen 'cramped_room'; choose one of"):
        overcooked.suite(coplay.make("overcooked", layout="cramped_room"))
    with pytest.raises(MeasureError, match="dynamics='new'"):
        overcooked.suite(coplay.make("overcooked", layout="bottleneck", dynamics="new"))
    with pytest.raises(MeasureError, match="horizon=20 is too short"):
        overcooked.suite(coplay.make("overcooked", layout="bottleneck", horizon=20))
