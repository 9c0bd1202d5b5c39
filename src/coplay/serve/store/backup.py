"""The whole database in one file, of either kind into either kind: gzipped JSON lines, a row each."""

from __future__ import annotations

import base64
import gzip
import json
import os
from pathlib import Path
from typing import Any

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import Session

from coplay.challenge.errors import ChallengeError
from coplay.serve.store.database import Database
from coplay.serve.store.models import GameTime, Table, Uptime
from coplay.serve.store.study_models import Base  # whoever has it from there has the tables of studies, too

FORMAT = "coplay backup 1"
MANY = 1000  # rows in one statement


def write_backup(database: Database, path: str) -> int:
    """Writes the rows of one moment; the file is its owner's alone, because it holds secrets."""
    partial, count = Path(f"{path}.partial"), 0
    options = {} if database.is_sqlite else {"isolation_level": "REPEATABLE READ"}
    with (
        database.engine.connect().execution_options(**options) as connection,
        os.fdopen(os.open(partial, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "wb") as raw,
        gzip.open(raw, "wt") as file,
    ):
        file.write(json.dumps({"format": FORMAT}) + "\n")
        for table in Base.metadata.sorted_tables:
            for row in connection.execute(select(table)).mappings():
                file.write(json.dumps([table.name, {name: _plain(value) for name, value in row.items()}]) + "\n")
                count += 1
    partial.replace(path)
    return count


def read_backup(database: Database, path: str) -> int:
    """Fills an empty database; all or nothing."""
    count = 0
    tables = {table.name: table for table in Base.metadata.sorted_tables}
    with database.write() as transaction, gzip.open(path, "rt") as file:
        for table in tables.values():
            if table is not GameTime.__table__ and transaction.scalar(select(func.count()).select_from(table)):
                raise ChallengeError(f"the database has rows in {table.name}; restore into an empty one.")
        try:
            if json.loads(next(file))["format"] != FORMAT:
                raise ValueError("unknown format")
        except (ValueError, KeyError, TypeError, StopIteration, OSError) as error:
            raise ChallengeError(f"{path} is not a file of `coplay challenge backup`: {error}.") from error
        transaction.execute(delete(GameTime))
        waiting: list[dict[str, Any]] = []
        last = ""
        for line in file:
            name, row = json.loads(line)
            if waiting and (name != last or len(waiting) == MANY):
                transaction.execute(insert(tables[last]), waiting)
                waiting = []
            last = name
            waiting.append({key: _back(value) for key, value in row.items() if key in tables[name].columns})
            count += 1
        if waiting:
            transaction.execute(insert(tables[last]), waiting)
        if transaction.scalar(select(GameTime.id)) is None:
            _as_migrated(transaction)
    return count


def _as_migrated(transaction: Session) -> None:
    """A backup of before games had a clock of their own: what its migration does to a database."""
    transaction.add(GameTime(id=1, seconds=0.0))
    transaction.execute(update(Table).where(Table.asked.is_not(None)).values(asked=0.0))
    transaction.execute(delete(Uptime))


def _plain(value: Any) -> Any:
    return {"bytes": base64.b64encode(value).decode()} if isinstance(value, bytes) else value


def _back(value: Any) -> Any:
    return base64.b64decode(value["bytes"]) if isinstance(value, dict) else value
