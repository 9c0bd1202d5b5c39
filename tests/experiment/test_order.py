"""Orders are balanced, whoever leaves: every partner stands in every place, in every seat, as often."""

from __future__ import annotations

import itertools
import random
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coplay.experiment.order import Place, cell_for, cells, condition_for, williams
from coplay.experiment.plan import Plan
from coplay.experiment.reading import read_plan
from coplay.experiment.steps import Step, as_text, from_text, stage, steps_of
from tests.experiment.plans import plan_text


def plan_of(partners: int, more: str = "", games: int = 1) -> Plan:
    names = ", ".join(f'"{name}"' for name in ("piers", "random", "iggi", "outer", "flawed")[:partners])
    return read_plan(plan_text(more, f"[{names}]", games))


def games_of(plan: Plan, place: Place) -> list[Step]:
    return [one for one in steps_of(plan, place, "secret") if one.kind == "game" and not one.practice]


@given(st.integers(1, 12))
def test_in_a_square_everything_stands_everywhere_and_follows_everything_as_often(size: int) -> None:
    rows = williams(size)
    places = Counter((place, one) for row in rows for place, one in enumerate(row))
    follows = Counter(pair for row in rows for pair in itertools.pairwise(row))
    assert len(places) == size * size
    assert set(places.values()) == {len(rows) // size}
    assert len(follows) == size * (size - 1)
    assert len(set(follows.values())) <= 1


@pytest.mark.parametrize("partners", [1, 2, 3, 4])
@pytest.mark.parametrize("games", [1, 2])
def test_after_all_cells_every_partner_was_met_in_every_place_and_seat_as_often(partners: int, games: int) -> None:
    plan = plan_of(partners, games=games)
    count = cells(plan, "")
    seen = Counter(
        (one.position, one.partner, one.seat)
        for cell in range(count)
        for one in games_of(plan, Place("", cell, number=100 + cell))
    )
    assert len(seen) == partners * partners * 2
    assert len(set(seen.values())) == 1


@pytest.mark.parametrize("partners", [2, 3, 4])
def test_as_many_participants_as_a_square_has_rows_are_balanced_already(partners: int) -> None:
    plan, rows = plan_of(partners), len(williams(partners))
    for begin in range(cells(plan, "") - rows + 1):
        met = Counter(
            (one.position, one.partner)
            for cell in range(begin, begin + rows)
            for one in games_of(plan, Place("", cell, 0))
        )
        assert set(met.values()) == {rows // partners}


def with_conditions(text: str) -> str:
    both = '[[condition]]\nname = "kind"\n[[condition]]\nname = "strict"\n[[condition]]\nname = "plain"\n'
    return text + both


@given(st.lists(st.booleans(), min_size=1, max_size=80))
@settings(deadline=None)
def test_conditions_and_cells_stay_even_while_people_come_and_leave(leaves: list[bool]) -> None:
    plan = read_plan(with_conditions(plan_text()))
    living: list[Place] = []
    rng = random.Random(len(leaves))
    for number, left in enumerate(leaves):
        condition = condition_for(plan, Counter(one.condition for one in living), number)
        mine = Counter(one.cell for one in living if one.condition == condition)
        cell = cell_for(plan, condition, mine)
        before = Counter(dict.fromkeys(plan.condition_names, 0) | Counter(one.condition for one in living))
        assert before[condition] == min(before.values())  # never into a fuller one
        assert mine[cell] == min(mine[one] for one in range(cells(plan, condition)))
        living.append(Place(condition, cell, number))
        if left and len(living) > 1:
            living.pop(rng.randrange(len(living)))
    if not any(leaves):
        counts = Counter(one.condition for one in living)
        assert max(counts.values()) - min(counts[name] for name in plan.condition_names) <= 1


def test_a_random_order_is_drawn_from_the_seed_for_each_participant() -> None:
    plans = [plan_of(4, f'order = "random"\nseed = {seed}\n') for seed in (1, 2)]
    drawn = [
        [tuple(one.partner for one in games_of(plan, Place("", 0, number))) for number in range(30)] for plan in plans
    ]
    assert drawn[0] == [tuple(one.partner for one in games_of(plans[0], Place("", 0, number))) for number in range(30)]
    assert drawn[0] != drawn[1]
    assert len(set(drawn[0])) > 10


def test_games_themselves_are_put_into_balanced_orders() -> None:
    other = '[[game]]\nname = "other"\ngame = "hanabi-small"\npartners = ["piers", "random"]\n'
    plan = read_plan(plan_text('game_order = "latin"\n') + other)
    assert cells(plan, "") == 8  # two orders of games, two of partners, two seats
    orders = Counter()
    for cell in range(8):
        met = [(one.block, one.partner) for one in games_of(plan, Place("", cell, 0))]
        orders[tuple(met)] += 1
    assert set(orders.values()) == {2}
    assert len(orders) == 4


def test_nobody_meets_a_deal_twice_and_shared_deals_are_the_same_for_all_at_the_same_place() -> None:
    for deals, people in (("own", 6), ("shared", 1)):
        plan = plan_of(2, f'deals = "{deals}"\n', games=2)
        everybody = [[one.seed for one in games_of(plan, Place("", cell, cell))] for cell in range(6)]
        assert len({tuple(one) for one in everybody}) == people
        assert all(len(set(one)) == 4 for one in everybody)


def test_steps_are_in_order_and_come_back_as_they_were_written() -> None:
    plan = plan_of(2)
    steps = steps_of(plan, Place("", 0, 0), "secret")
    told = [(one.kind, one.name, one.game, one.position, one.practice) for one in steps]
    assert told == [
        ("page", "rules", -1, -1, False),
        ("game", "small", -1, -1, True),
        ("game", "small", 0, 0, False),
        ("page", "partner", 0, 0, False),
        ("game", "small", 1, 1, False),
        ("page", "partner", 1, 1, False),
        ("page", "last", -1, -1, False),
    ]
    assert from_text(as_text(steps)) == steps
    assert steps[3].partner == steps[2].partner
    assert [stage(steps, at) for at in (0, 1, 4, 7)] == ["page rules", "practice small", "game small 2 of 2", "end"]
