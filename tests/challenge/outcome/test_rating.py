"""A rating between unequal numbers of games."""

from __future__ import annotations

from typing import Any

import pytest

from coplay.challenge.outcome.board import Line, by_rating, ranked
from coplay.challenge.outcome.rating import rating


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


def test_games_count_up_to_the_first_that_was_not_ended() -> None:
    """Else who leaves games unfinished that go badly would be rated by those that go well."""
    found = rating([("a", 5.0), ("b", 7.0), ("a", None), ("b", 9.0), ("a", 25.0), ("b", 25.0)], 25.0)
    assert found is not None
    assert (found.n, found.value) == (1, 6.0)
    assert rating([("a", None), ("b", 25.0)], 25.0) is None


def test_a_few_lucky_games_lead_nobody_to_the_top_of_the_rating() -> None:
    lucky, sure = line("lucky", 2, [25.0] * 2), line("sure", 500, [20.0, 22.0] * 250)
    late = line("late", 500, [2.0, 4.0] * 250)
    placed = ranked([late, lucky, sure])
    assert [one.entrant for one in placed] == ["lucky", "sure", "late"]  # by the mean
    assert [one.entrant for one in by_rating(placed)] == ["sure", "late", "lucky"]
    assert [one.rating_rank for one in by_rating(placed)] == [1, 2, 2]


def test_without_a_rating_there_is_no_place_by_it() -> None:
    placed = ranked([line("rated", 10, [3.0] * 10), line("not", 1, [])])
    assert [one.rating_rank for one in by_rating(placed)] == [1, None]


def line(name: str, games: int, scores: list[float]) -> Line:
    found = rating([("a", score) for score in scores], 25.0)
    mean = sum(scores) / len(scores) if scores else 0.0
    values = (found.value, found.low, found.high, found.n) if found else (None, None, None, 0)
    rated: dict[str, Any] = dict(zip(("rating", "rating_low", "rating_high", "rounds"), values, strict=True))
    same = {"method": "m", "human_data": "none", "baseline": False, "configuration": "2p", "forfeits": 0}
    same |= {"median": mean, "cross_entropy": None, "partial": False, "status": "shown", "date": 0.0}
    ids = {
        "entrant": name,
        "entrant_id": name,
        "attempt_id": name,
        "rules_version": "",
        "pool_hash": "",
        "rank": 0,
        "track": "",
    }
    return Line(**ids, **same, **rated, games=games, mean=mean, low=mean - 0.1, high=mean + 0.1)
