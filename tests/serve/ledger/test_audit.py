"""Every score can be computed again from the log, by anyone; whatever is changed afterwards is found."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, text

from coplay.challenge.errors import ChallengeError
from coplay.challenge.outcome.verify import verify_export
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.closing import close_and_score
from coplay.serve.ledger.hosting.export import write_export
from coplay.serve.store.backup import read_backup, write_backup
from coplay.serve.store.database import open_database
from coplay.serve.store.models import Attempt, Base
from tests.serve.harness import House, last_legal


@pytest.fixture
def played(house: House) -> House:
    """A challenge with one finished attempt and one that was cut off."""
    first, second = house.start(), house.start()
    house.sit(first).play(last_legal)
    house.finish(first)
    house.sit(second, parallel=1).play(last_legal, 3)
    return house


def test_an_export_verifies_and_any_change_of_it_is_found(played: House, tmp_path: Path) -> None:
    path = str(tmp_path / "export.json.gz")
    with pytest.raises(ChallengeError, match="close it first"):
        write_export(played.database, "small", path)
    assert close_and_score(played.database, "small") == 1
    write_export(played.database, "small", path)
    assert any("every score agrees" in line for line in verify_export(path))
    content = json.loads(gzip.decompress(Path(path).read_bytes()))
    assert "contact" not in json.dumps(content)
    for change in (_score, _action, _mean, _seed, _audit, _secret, _partner, _schedule, _deal):
        changed = json.loads(json.dumps(content))
        change(changed)
        Path(path).write_bytes(gzip.compress(json.dumps(changed).encode()))
        with pytest.raises((ChallengeError, ValueError)):
            list(verify_export(path))


def test_what_was_withdrawn_is_not_in_the_export_and_nothing_else_is_left_out(played: House, tmp_path: Path) -> None:
    path = str(tmp_path / "export.json.gz")
    with played.database.read() as transaction:
        (line,) = board(transaction, "small")
        other = transaction.scalars(select(Attempt).where(Attempt.status == "open")).one()
    played.sit(other).play(last_legal)
    close_and_score(played.database, "small")
    with played.database.write() as transaction:
        host.withdraw(transaction, "entrant 1", reason="asked for it")
    write_export(played.database, "small", path)
    told = list(verify_export(path))
    assert any("entrant 1: small withdrawn" in one for one in told)
    assert ["every score agrees" in one for one in told[-2:]] == [False, True]
    content = json.loads(gzip.decompress(Path(path).read_bytes()))
    (gone,) = content["attempts"][0]["results"]
    assert (gone["status"], gone["mean"], gone["games"], gone["log_hash"]) == ("withdrawn", None, None, None)
    assert content["attempts"][0]["tables"] == []
    assert content["attempts"][1]["tables"]
    said = [json.loads(one["detail"] or "{}") for one in content["audit"]]
    told_means = {one["attempt"] for one in said if "mean" in one}
    assert told_means == {content["attempts"][1]["id"]}  # and not that of the first
    assert line.attempt_id == content["attempts"][0]["id"]
    for change in (_hide_another, _hide_a_line, _withdraw_another):
        changed = json.loads(json.dumps(content))
        change(changed)
        Path(path).write_bytes(gzip.compress(json.dumps(changed).encode()))
        with pytest.raises(ChallengeError):
            list(verify_export(path))


def _hide_another(content: dict[str, Any]) -> None:
    content["attempts"][1]["results"][0]["status"] = "withdrawn"


def _hide_a_line(content: dict[str, Any]) -> None:
    next(one for one in content["audit"] if one["what"] == "challenge opened")["detail"] = ""


def _withdraw_another(content: dict[str, Any]) -> None:
    line = next(one for one in content["audit"] if one["what"] == "results withdrawn")
    line["detail"] = line["detail"].replace(
        content["attempts"][0]["entrant"]["id"], content["attempts"][1]["entrant"]["id"]
    )


def _score(content: dict[str, Any]) -> None:
    content["attempts"][0]["tables"][0]["score"] += 1


def _action(content: dict[str, Any]) -> None:
    content["attempts"][0]["tables"][0]["actions"].pop()


def _mean(content: dict[str, Any]) -> None:
    content["attempts"][0]["results"][0]["mean"] += 0.5


def _seed(content: dict[str, Any]) -> None:
    content["attempts"][0]["tables"][0]["seed"] = "0" * 16


def _audit(content: dict[str, Any]) -> None:
    content["audit"][0]["at"] += 1


def _secret(content: dict[str, Any]) -> None:
    content["challenge"]["secret"] = "cd" * 32


def _partner(content: dict[str, Any]) -> None:
    content["attempts"][0]["tables"][0]["partners"] = '["iggi"]'


def _schedule(content: dict[str, Any]) -> None:
    content["attempts"][0]["schedule_hash"] = "0" * 64


def _deal(content: dict[str, Any]) -> None:
    content["attempts"][0]["tables"][0] = content["attempts"][0]["tables"][1]


EDITS = [
    "UPDATE results SET mean = mean + 1",
    "UPDATE tables SET score = 7 WHERE status = 'done'",
    "UPDATE actions SET actions = '0' WHERE turn = 1 AND actions <> '0'",
    "DELETE FROM actions WHERE turn = 1",
    "UPDATE attempts SET schedule_hash = 'x' WHERE status = 'finished'",
    "UPDATE audit SET detail = '{}' WHERE number = 1",
    "DELETE FROM audit WHERE number = 2",
    "UPDATE challenges SET secret = secret_hash",
    "UPDATE tables SET status = 'forfeit' WHERE status = 'done'",
    "DELETE FROM results",
    "UPDATE results SET status = 'withdrawn'",
    "UPDATE results SET partial = NOT partial",
    "UPDATE results SET rules_version = 'x'",
    "UPDATE attempts SET number = 2, entrant_id = (SELECT id FROM entrants WHERE name = 'entrant 2') "
    "WHERE status = 'finished'",
    "UPDATE entrants SET name = 'somebody else' WHERE name = 'entrant 1'",
    "UPDATE entrants SET baseline = NOT baseline WHERE name = 'entrant 1'",
]


def test_editing_a_row_in_the_database_is_found_and_freezes_the_attempt(
    played: House, new_url: Callable[[], str], tmp_path: Path
) -> None:
    assert check_database(played.database) == []
    backup = str(tmp_path / "backup.gz")
    write_backup(played.database, backup)
    for edit in EDITS:
        database = open_database(new_url())
        read_backup(database, backup)
        with database.write() as transaction:
            transaction.execute(text(edit))
        assert check_database(database), edit
        if not any(table in edit for table in ("audit", "challenges", "UPDATE entrants")):
            with database.read() as transaction:
                frozen = list(transaction.scalars(select(Attempt.id).where(Attempt.frozen)))
                assert frozen, edit
                assert {line.status for line in board(transaction, "small")} <= {"frozen"}, edit
        database.close()


def test_what_the_host_does_at_the_desk_is_no_difference_and_undoing_it_by_hand_is(played: House) -> None:
    with played.database.write() as transaction:
        host.set_baseline(transaction, "entrant 1", True)
        host.withdraw(transaction, "entrant 1", reason="asked for it")
        (line,) = board(transaction, "small")
        assert (line.status, line.baseline, line.mean, line.high) == ("withdrawn", True, None, None)
        with pytest.raises(ChallengeError, match="no results"):
            host.withdraw(transaction, "entrant 2")
    assert check_database(played.database) == []
    with played.database.write() as transaction:
        transaction.execute(text("UPDATE results SET status = 'shown'"))
    assert "the host did not make it so" in check_database(played.database)[0]


def test_a_backup_brings_everything_back_and_only_into_an_empty_database(
    played: House, new_url: Callable[[], str], tmp_path: Path
) -> None:
    path = str(tmp_path / "backup.gz")
    count = write_backup(played.database, path)
    other = open_database(new_url())
    assert read_backup(other, path) == count
    for table in Base.metadata.sorted_tables:
        with played.database.read() as before, other.read() as after:
            key = [*table.primary_key.columns]
            rows = [list(transaction.execute(select(table).order_by(*key))) for transaction in (before, after)]
        assert rows[0] == rows[1]
    with pytest.raises(ChallengeError, match="empty"):
        read_backup(other, path)
    other.close()


def test_the_migrations_make_the_tables_that_the_models_say(house: House) -> None:
    from alembic.autogenerate import compare_metadata
    from alembic.migration import MigrationContext

    with house.database.engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []


def test_a_change_of_rules_is_a_new_challenge_and_the_old_board_stays(played: House) -> None:
    from tests.serve.harness import rules

    for changed in (rules(games=5), rules(partners='"iggi"')):
        with pytest.raises(ChallengeError, match="never change"), played.database.write() as transaction:
            host.new_challenge(transaction, "small", changed)
    close_and_score(played.database, "small")
    with played.database.write() as transaction:
        before = board(transaction, "small")
        second = host.new_challenge(transaction, "small-2", rules(games=5))
        host.open_challenge(transaction, "small-2")
        assert second.rules_version != host.challenge_of(transaction, "small").rules_version
        assert board(transaction, "small-2") == []
        assert board(transaction, "small") == before
    assert before


def test_after_the_close_nobody_moves(house: House) -> None:
    attempt = house.start()
    client = house.sit(attempt, parallel=1)
    opening = list(client.heard)
    close_and_score(house.database, "small")
    client.heard[:] = opening
    client.play(moves=1)
    assert {table.turn for table in house.tables(attempt)} <= {0, 1}
    assert [message["type"] for message in client.everything[len(opening) :]] == ["superseded"]
