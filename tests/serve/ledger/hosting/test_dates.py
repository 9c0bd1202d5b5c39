"""A challenge that opens and closes at dates its rules name."""

from __future__ import annotations

import datetime
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select

from coplay.challenge.errors import ChallengeError
from coplay.challenge.rules import read_rules
from coplay.serve.http.server import Settings, create_app
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.closing import close_due
from coplay.serve.ledger.hosting.dates import check_dates
from coplay.serve.pages.site import install
from coplay.serve.store.database import open_database
from coplay.serve.store.models import Audit, Challenge, Result
from tests.databases import ready_sqlite
from tests.serve.harness import House, last_legal, rules
from tests.serve.serving import PATIENCE, serving, wait_for

DATES = "opens = 2027-03-01T12:00:00+01:00\ncloses = 2027-04-01T00:00:00Z"
OPENS, CLOSES = (datetime.datetime(*day, tzinfo=datetime.UTC).timestamp() for day in ((2027, 3, 1, 11), (2027, 4, 1)))


def test_rated_games_begin_at_one_date_and_nothing_begins_after_the_other() -> None:
    dated = read_rules(rules(more=DATES))
    for kind, moment, code in (
        ("test", OPENS - 1, ""),
        ("eval", OPENS - 1, "not_yet"),
        ("eval", OPENS, ""),
        ("eval", CLOSES - 1, ""),
        ("eval", CLOSES, "not_open"),
        ("test", CLOSES, "not_open"),
    ):
        if not code:
            check_dates(dated, "small", kind, moment)
            continue
        with pytest.raises(ChallengeError, match=r"2027-0[34]-01 \d\d:00 UTC") as refused:
            check_dates(dated, "small", kind, moment)
        assert refused.value.code == code


def test_before_its_date_people_register_and_rehearse(url: str) -> None:
    house = House(url, rules(more="opens = 9999-01-01T00:00:00Z"))
    entrant, keys = house.enter()
    assert keys.evaluation
    with house.database.write() as transaction:
        assert open_attempt(transaction, entrant, "test").kind == "test"
    with pytest.raises(ChallengeError, match="9999-01-01 00:00 UTC; rehearse"), house.database.write() as transaction:
        open_attempt(transaction, entrant, "eval")
    with house.database.read() as transaction:
        assert transaction.get(type(entrant), entrant.id).attempts_used == 0  # pyright: ignore[reportOptionalMemberAccess]
    house.close()


def test_at_its_date_a_challenge_is_closed_once_and_what_was_played_is_scored(url: str) -> None:
    house = House(url, rules(games=3, more="closes = 9999-01-01T00:00:00Z"))
    house.sit(house.start(), parallel=1).play(last_legal, 12)
    end = datetime.datetime(9999, 1, 1, tzinfo=datetime.UTC).timestamp()
    assert close_due(house.database, end - 1) == []
    assert close_due(house.database, end) == ["small"]
    assert close_due(house.database, end) == []
    with house.database.read() as transaction:
        assert [line.partial for line in board(transaction, "small")] == [True]
        closed = list(transaction.scalars(select(Audit.detail).where(Audit.what == "challenge closed")))
    assert len(closed) == 1
    assert "its date has come" in closed[0]
    assert check_database(house.database) == []
    house.close()


def test_a_server_closes_what_is_due(url: str) -> None:
    database = open_database(url)
    with database.write() as transaction:
        host.new_challenge(transaction, "over", rules(more="closes = 2000-01-01T00:00:00Z"))
        host.open_challenge(transaction, "over")
        with pytest.raises(ChallengeError, match="closed at 2000-01-01"):
            host.register(transaction, "over", "late", "m", "c", "none")

    def is_closed() -> bool:
        with database.read() as transaction:
            return transaction.scalar(select(Challenge.status)) == "closed"

    assert not is_closed()
    with serving(create_app(Settings(url))):
        wait_for(is_closed)
    database.close()


@pytest.mark.parametrize("wrong", ["opens = 2027-03-01T12:00:00", "opens = 2027-03-01", 'closes = "soon"'])
def test_a_date_without_a_zone_is_refused(wrong: str) -> None:
    with pytest.raises(ChallengeError, match="with its zone"):
        read_rules(rules(more=wrong))


def test_the_end_comes_after_the_beginning() -> None:
    with pytest.raises(ChallengeError, match="is not after opens"):
        read_rules(rules(more="opens = 2027-03-01T12:00:00Z\ncloses = 2027-03-01T12:00:00Z"))


def test_until_the_embargo_ends_results_are_on_no_page_and_entrants_see_their_own(tmp_path: Path) -> None:
    ready_sqlite(tmp_path / "a.db")
    url = f"sqlite:///{tmp_path}/a.db"
    database, ids, keys = open_database(url), {}, {}
    for name, embargo in (("hidden", 9999), ("shown", 2000)):
        with database.write() as transaction:
            host.new_challenge(transaction, name, rules(games=1, more=f"embargo = {embargo}-01-01T00:00:00Z"))
            host.open_challenge(transaction, name)
            entrant, keys[name] = host.register(transaction, name, "Ada", "m", "c", "none")
            attempt, ids[name] = open_attempt(transaction, entrant, "eval"), entrant.id
            same = {"rules_version": "r", "pool_hash": "p", "log_hash": "l", "created": 0.0, "partial": False}
            figures = {"configuration": "prediction 2p", "games": 1, "forfeits": 0, "cross_entropy": 4.25}
            transaction.add(Result(attempt_id=attempt.id, **same, **figures))
    database.close()
    install(app := create_app(Settings(url)))
    with serving(app) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as visitor:
        for name, there in (("hidden", False), ("shown", True)):
            assert bool(visitor.get(f"/v1/challenges/{name}/board").json()) is there
            for page, told in ((f"/challenges/{name}", "Ada"), (f"/challenges/{name}/entrants/{ids[name]}", "4.250")):
                assert (told in visitor.get(page).text) is there, page
            mine = visitor.get("/v1/me", headers={"Authorization": f"Bearer {keys[name].evaluation}"}).json()
            assert mine["attempts"][0]["results"][0]["cross_entropy"] == 4.25
        assert "Results are shown from 9999-01-01 00:00 UTC on" in visitor.get("/challenges/hidden").text
