"""People's games are forgotten on request and when they are too old; nothing else is."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from sqlalchemy import func, select, update

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import DEMO
from coplay.serve.http.server import Settings
from coplay.serve.ledger import people
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.erase import erase_before, erase_person
from coplay.serve.store.database import Database, open_database
from coplay.serve.store.models import Attempt, Consent, Person, Table

A_YEAR = 365 * 24 * 3600.0


@pytest.fixture
def database(url: str) -> Iterator[Database]:
    made = open_database(url)
    yield made
    made.close()


def sits(database: Database, begun: float) -> tuple[str, str]:
    """Somebody who came and sat down at a moment: (number, attempt)."""
    with database.write() as transaction:
        person = people.new_person(transaction)
        people.answer_consent(transaction, person.id, "1", given=True)
        seat = people.new_table(transaction, "hanabi-very-small", {"players": 2}, ["random"], person=person.id)
        person.created = begun
        transaction.execute(update(Attempt).where(Attempt.id == seat.attempt).values(created=begun))
        return person.id, seat.attempt


def numbers(database: Database) -> list[int]:
    """How many people, answers, attempts and tables there are."""
    with database.read() as transaction:
        kinds = (Person, Consent, Attempt, Table)
        return [transaction.scalar(select(func.count()).select_from(kind)) or 0 for kind in kinds]


def test_old_games_go_and_new_ones_stay(database: Database) -> None:
    now = time.time()
    sits(database, now - A_YEAR)
    new, _ = sits(database, now)
    assert erase_before(database, now - A_YEAR / 2) == 1
    assert numbers(database) == [1, 1, 1, 1]
    with database.read() as transaction:
        assert transaction.get(Person, new) is not None
    assert erase_before(database, now - A_YEAR / 2) == 0


def test_a_game_that_is_being_played_stays_however_old(database: Database) -> None:
    _, attempt = sits(database, time.time() - A_YEAR)
    with database.write() as transaction:
        transaction.execute(update(Table).where(Table.attempt_id == attempt).values(status="active", holder="someone"))
    assert erase_before(database, time.time()) == 0
    assert numbers(database) == [1, 1, 1, 1]


def test_one_person_is_forgotten_and_the_others_are_not(database: Database) -> None:
    first, _ = sits(database, time.time())
    sits(database, time.time())
    assert erase_person(database, first, "asked by mail") == 1
    assert numbers(database) == [1, 1, 1, 1]
    with pytest.raises(ChallengeError, match="nobody played under this number"):
        erase_person(database, first, "asked again")


def test_the_time_is_handed_to_every_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COPLAY_KEEP_DAYS", "30")
    assert Settings.from_environment().keep_days == 30


@pytest.mark.parametrize("field", ["name", "method", "contact", "human_data"])
def test_no_field_of_an_entry_takes_control_characters(database: Database, field: str) -> None:
    given = {"name": "a", "method": "b\nc", "contact": "d", "human_data": "e"} | {field: "x\x00y"}
    with database.write() as transaction:
        host.new_challenge(transaction, "demo", DEMO.read_text(), "server")
        host.open_challenge(transaction, "demo", "server")
    with pytest.raises(ChallengeError, match=f"{field} should be"), database.write() as transaction:
        host.register(transaction, "demo", **given)  # pyright: ignore[reportArgumentType]
