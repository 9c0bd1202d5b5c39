"""How much may be rehearsed, and what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import func, select, update

from coplay.challenge.errors import ChallengeError
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.rehearsals import A_DAY, KEPT
from coplay.serve.store.models import Action, Attempt, Entrant, Result, Table
from tests.serve.harness import House, first_legal, rules


@pytest.fixture
def house(url: str) -> Iterator[House]:
    made = House(url, rules(games=3, more="rehearsal_games = 6"))
    yield made
    made.close()


def _rehearse(house: House, entrant: Entrant, games: int) -> Attempt:
    with house.database.write() as transaction:
        return open_attempt(transaction, entrant, "test", games)


def _play(house: House, attempt: Attempt) -> None:
    house.sit(attempt, kind="test").play(first_legal)
    assert house.finish(attempt) == ["small"]


def _a_day_later(house: House) -> None:
    with house.database.write() as transaction:
        transaction.execute(update(Attempt).values(created=Attempt.created - A_DAY - 1))


def test_a_test_key_rehearses_so_many_games_in_a_day(house: House) -> None:
    entrant, _ = house.enter()
    for games in (3, 2):
        _play(house, _rehearse(house, entrant, games))
    with pytest.raises(ChallengeError, match=r"6 games in 24 hours, and 1 are left.* fewer .*come back in") as refused:
        _rehearse(house, entrant, 2)
    assert (refused.value.status, refused.value.code) == (429, "quota")
    assert A_DAY - 60 < refused.value.retry_after <= A_DAY
    _play(house, _rehearse(house, entrant, 1))
    other, _ = house.enter()
    _rehearse(house, other, 3)  # each has its own
    with house.database.write() as transaction:
        open_attempt(transaction, entrant, "eval")  # and rated games are none
    _a_day_later(house)
    assert _rehearse(house, entrant, 3).number == 4


def test_of_rehearsals_before_today_the_latest_are_kept(house: House) -> None:
    entrant, _ = house.enter()
    with house.database.write() as transaction:
        rated = open_attempt(transaction, entrant, "eval")
    house.sit(rated).play(first_legal)
    for _ in range(KEPT + 2):
        _play(house, _rehearse(house, entrant, 1))
        _a_day_later(house)
    running = _rehearse(house, entrant, 1)
    assert _rehearse(house, entrant, 1).id == running.id
    with house.database.read() as transaction:
        kept = list(transaction.scalars(select(Attempt.number).where(Attempt.kind == "test").order_by(Attempt.number)))
        assert kept == [3, 4, 5, 6, 7, 8]
        assert transaction.scalar(select(func.count()).select_from(Result)) == KEPT
        assert transaction.scalar(select(func.count()).select_from(Table)) == 3 + KEPT + 1
        assert transaction.scalar(select(func.count(Action.table_id.distinct()))) == 3 + KEPT
