"""Which seats of recorded games are people's."""

from __future__ import annotations

import numpy as np

from coplay.data.people import counting_seats, people_columns, said_alike

BOTH = np.array([[True, True, False], [False, True, False]])
NUMBERS = np.array([[7, 8, 0], [0, 9, 0]], np.uint64)


def test_a_file_with_one_person_in_each_game_says_it_as_it_always_did() -> None:
    columns = people_columns(BOTH[1:], NUMBERS[1:])
    assert {name: column.tolist() for name, column in columns.items()} == {"human_seat": [1], "participant": [9]}
    assert counting_seats(columns, 1, 3).tolist() == BOTH[1:].tolist()


def test_a_file_with_several_people_says_it_seat_by_seat() -> None:
    columns = people_columns(BOTH, NUMBERS)
    assert set(columns) == {"human_seats", "participants"}
    assert counting_seats(columns, 2, 3).tolist() == BOTH.tolist()
    assert columns["participants"].tolist() == NUMBERS.tolist()


def test_where_nothing_is_said_every_seat_counts() -> None:
    assert counting_seats({}, 2, 2).all()
    assert counting_seats({"human_seat": np.array([-1, 0])}, 2, 2).tolist() == [[True, True], [True, False]]


def test_sets_that_say_it_differently_are_joined_without_losing_it() -> None:
    one, several = people_columns(BOTH[1:], NUMBERS[1:]), people_columns(BOTH, NUMBERS)
    told = said_alike([one, several, {}], [1, 2, 1], 3)
    joined = np.concatenate([part["human_seats"] for part in told])
    assert joined.tolist() == [[False, True, False], *BOTH.tolist(), [True, True, True]]
    assert [set(part) for part in said_alike([one, one], [1, 1], 3)] == [set(one)] * 2
