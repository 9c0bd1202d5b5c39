"""Databases, backups and exports that the first version made: they load, and mean what they meant.

The files in golden/ were written by that version: one attempt is finished, one has a game that waits for its entrant.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import MetaData, insert, select, text

from coplay.challenge.outcome.verify import verify_export
from coplay.challenge.rules import read_rules
from coplay.serve.ledger.boards import board
from coplay.serve.ledger.check import check_database
from coplay.serve.ledger.hosting.host import challenge_of
from coplay.serve.store.backup import read_backup
from coplay.serve.store.database import MIGRATIONS, Database
from coplay.serve.store.models import Attempt, Base
from tests.serve.harness import House, last_legal

GOLDEN = Path(__file__).parent / "golden"
BACKUP, EXPORT = GOLDEN / "backup-of-0001.gz", GOLDEN / "export-of-0001.json.gz"


def filled_as_before(url: str) -> Database:
    """A database with the first tables, and in them what the first version wrote."""
    database = Database(url)
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    rows = [json.loads(line) for line in gzip.decompress(BACKUP.read_bytes()).decode().splitlines()[1:]]
    with database.engine.execution_options(writes=True).begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        tables = MetaData()
        tables.reflect(connection)
        for table in Base.metadata.sorted_tables:
            for row in (row for name, row in rows if name == table.name):
                connection.execute(insert(tables.tables[table.name]).values(row))
    return database


def goes_on(house: House) -> None:
    """Everything is as it was written; the attempt that runs is played to its end, on the deals of the other."""
    with house.database.read() as transaction:
        challenge = challenge_of(transaction, "small")
        assert read_rules(challenge.rules).deals == "shared"
        attempt = transaction.scalars(select(Attempt).where(Attempt.status == "open")).one()
    assert check_database(house.database) == []
    client = house.sit(attempt)
    left = [message["seconds_left"] for message in client.heard if message["type"] == "turns"]
    assert left == [[70.0] * 2]  # nothing of the time before is charged
    client.play(last_legal)
    assert house.finish(attempt) == ["small"]
    assert check_database(house.database) == []
    with house.database.read() as transaction:
        assert len(board(transaction, "small")) == 2
        assert len(transaction.execute(text("SELECT DISTINCT seed FROM tables")).all()) == 2


def test_a_database_of_before_is_brought_up_with_its_games(empty_url: str) -> None:
    database = filled_as_before(empty_url)
    database.migrate()
    database.close()
    house = House(empty_url, make=False)
    goes_on(house)
    house.close()


def test_a_backup_of_before_is_restored(url: str) -> None:
    house = House(url, make=False)
    read_backup(house.database, str(BACKUP))
    house.restart()
    goes_on(house)
    house.close()


def test_an_export_of_before_verifies() -> None:
    assert "every score agrees" in list(verify_export(str(EXPORT)))[-1]
