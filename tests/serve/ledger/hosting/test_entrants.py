"""A host looks entrants up and judges them, by command as at the desk."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from coplay.cli import app
from coplay.serve.ledger import keys
from coplay.serve.ledger.attempts import open_attempt
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.entrants import look_up
from coplay.serve.store.models import Audit
from tests.serve.harness import House, last_legal, rules


def names(
    house: House, word: str = "", challenge: str = "", status: str = "", begin: int = 0, many: int = 50
) -> list[str]:
    with house.database.read() as transaction:
        found = look_up(transaction, word, challenge, status, begin, many)
    return [known.entrant.name for known in found.rows]


def test_entrants_are_found_by_word_challenge_and_status(house: House) -> None:
    first, _ = house.enter("First")
    house.enter("100% sure")
    with house.database.write() as transaction:
        host.new_challenge(transaction, "other", rules())
        host.open_challenge(transaction, "other")
        host.register(transaction, "other", "Third", "a tree search", "someone@example.org", "none")
        host.set_status(transaction, first.id, "banned")
    assert sorted(names(house)) == ["100% sure", "First", "Third"]
    assert names(house, "FIRST") == names(house, first.id) == names(house, "", "", "banned") == ["First"]
    assert names(house, "Tree") == names(house, "example.org") == names(house, "", "other") == ["Third"]
    assert names(house, "0%") == ["100% sure"]  # no wildcard
    assert names(house, "_") == []
    assert len(names(house, begin=1, many=1)) == 1
    with house.database.read() as transaction:
        assert look_up(transaction, many=1).total == 3


def test_the_progress_is_that_of_the_latest_attempt(url: str) -> None:
    house = House(url, rules(games=3, attempts=2))
    entrant, _ = house.enter("slow")
    for games in (3, 0):
        with house.database.write() as transaction:
            attempt = open_attempt(transaction, entrant, "eval")
        if games:
            house.sit(attempt).play(last_legal)
            house.finish(attempt)
            told = ["small 3/3"]
        else:
            client = house.sit(attempt, parallel=1)
            turns = next(message for message in client.hear() if message["type"] == "turns")
            for _ in range(3):
                client.send(turns["game"][0], turns["turn"][0], -1)
            told = ["small 1/3, 1 forfeited"]
        with house.database.read() as transaction:
            (known,) = look_up(transaction).rows
        assert [str(one) for one in known.progress] == told
        assert len(known.keys) == 2
    house.close()


@pytest.fixture
def asked(tmp_path: Path) -> House:
    house = House(f"sqlite:///{tmp_path}/coplay.db", rules().replace("auto_approve = true", ""))
    with house.database.write() as transaction:
        host.register(transaction, "small", "Mine", "m", "me@example.org", "none")
    return house


def test_what_the_desk_does_to_entrants_is_a_command(asked: House) -> None:
    def coplay(*words: str) -> str:
        done = CliRunner().invoke(app, [*words, "--database", asked.url])
        assert done.exit_code == 0, done.output
        return done.output

    assert "pending" in coplay("entrants", "list", "example.org")
    given = coplay("entrants", "approve", "Mine", "--reason", "known").split()
    assert given[2].startswith("coplay_test_")
    assert given[5].startswith("coplay_eval_")
    assert "is a baseline" in coplay("entrants", "baseline", "Mine", "--reason", "ours")
    assert "is no baseline" in coplay("entrants", "baseline", "Mine", "--off", "--reason", "theirs")
    assert "is banned" in coplay("entrants", "ban", "Mine", "--reason", "cheated")
    assert "let in again" in coplay("entrants", "approve", "Mine", "--reason", "a mistake")
    with asked.database.write() as transaction:
        entrant = keys.find(transaction, given[5]).entrant
        assert entrant is not None
        attempt = open_attempt(transaction, entrant, "eval")
    asked.sit(attempt).play(last_legal)
    asked.finish(attempt)
    assert "attempt 1 finished; small 2/2" in coplay("entrants", "list")
    assert coplay("entrants", "withdraw", "Mine", "--reason", "asked") == "1 results are withdrawn\n"
    assert "is rejected" in coplay("entrants", "reject", "Mine", "--reason", "no")
    assert "entrant banned" in coplay("challenge", "audit", "--last", "50")
    with asked.database.read() as transaction:
        reasons = list(transaction.scalars(select(Audit.detail).where(Audit.what == "entrant banned")))
    assert "cheated" in reasons[0]
    assert check_database(asked.database) == []
    asked.close()
