"""Ratings on the board: written with the result, held against the logs, the same in an export."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from sqlalchemy import update

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.verify import verify_export
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from coplay.serve.ledger.ratings import rate_old
from coplay.serve.store.models import Result, Table
from tests.serve.harness import House, last_legal, rules


@pytest.fixture
def closed(tmp_path: Path) -> House:
    """One who played all, and one whose last game was not over when the challenge closed."""
    house = House(f"sqlite:///{tmp_path}/coplay.db", rules(games=8, partners='"random", "iggi"', deals="own"))
    whole, part = house.start(), house.start()
    house.sit(whole).play(last_legal)
    house.finish(whole)
    house.sit(part).play(last_legal)
    with house.database.write() as transaction:
        last = Table.attempt_id == part.id, Table.number == 7
        transaction.execute(update(Table).where(*last).values(status="active"))
    close_and_score(house.database, "small")
    return house


def test_a_rating_is_written_with_its_result_and_in_the_export(closed: House, tmp_path: Path) -> None:
    with closed.database.read() as transaction:
        lines = {line.partial: line for line in board(transaction, "small")}
    assert lines[False].rounds == 4
    assert lines[False].rating == pytest.approx(lines[False].mean)  # as many games with each partner
    assert lines[True].rounds == 3  # the last game lacks in the fourth
    assert check_database(closed.database) == []
    export = tmp_path / "small.json.gz"
    write_export(closed.database, "small", str(export))
    assert any("every score agrees" in told for told in verify_export(str(export)))
    content = json.loads(gzip.decompress(export.read_bytes()))
    content["attempts"][0]["results"][0]["rating_low"] += 0.5
    export.write_bytes(gzip.compress(json.dumps(content).encode()))
    with pytest.raises(ChallengeError, match=r"rating_low is .* by the logs"):
        list(verify_export(str(export)))
    closed.close()


def test_a_rating_that_was_changed_is_found(closed: House) -> None:
    with closed.database.write() as transaction:
        transaction.execute(update(Result).where(Result.partial.is_(True)).values(rating_high=5.0, rating=4.9))
    assert any("rating is" in problem for problem in check_database(closed.database))
    closed.close()


def test_results_of_before_are_rated_once(closed: House) -> None:
    with closed.database.read() as transaction:
        before = board(transaction, "small")
    with closed.database.write() as transaction:
        transaction.execute(update(Result).values(rating=None, rating_low=None, rating_high=None, rounds=None))
    assert check_database(closed.database) == []
    assert rate_old(closed.database) == 2
    assert rate_old(closed.database) == 0
    with closed.database.read() as transaction:
        assert board(transaction, "small") == before
    closed.close()
