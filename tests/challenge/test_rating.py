"""A rating between unequal numbers of games."""

from __future__ import annotations

import pytest

from coplay.challenge.rating import rating


def test_every_partner_counts_the_same_however_often_it_was_met() -> None:
    easy = [("easy", 10.0)] * 30
    hard = [("hard", 2.0)] * 10
    found = rating([*easy, *hard], 25.0)
    assert found is not None
    assert found.value == pytest.approx(6.0)
    assert found.n == 10
    assert found.low < 6 < found.high


@pytest.mark.parametrize(
    ("games", "best"), [([], 25.0), ([("a", 1.0)], None), ([("a", -3.0)], 25.0), ([("a", 26.0)], 25.0)]
)
def test_without_bounds_that_hold_there_is_none(games: list[tuple[str, float]], best: float | None) -> None:
    assert rating(games, best) is None
