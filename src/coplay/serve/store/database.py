"""Opens the database, brings it to the newest migration and hands out transactions."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Any

import sqlalchemy
import sqlalchemy.exc
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import event
from sqlalchemy.engine import Connection, make_url
from sqlalchemy.orm import Session, sessionmaker
from sqlalchemy.pool import NullPool

from coplay.challenge.errors import ChallengeError

ENOUGH = 64 << 20  # bytes that a disk should have left
MIGRATIONS = Path(__file__).parent / "migrations"


class Database:
    """One SQLite file or one PostgreSQL database. Every change goes through `write`, in one transaction."""

    def __init__(self, url: str, pooled: bool = True) -> None:
        self.url = _with_driver(url)
        self.is_sqlite = self.url.startswith("sqlite")
        arguments: dict[str, Any] = {"timeout": 30, "check_same_thread": False} if self.is_sqlite else {}
        pool: dict[str, Any] = {"pool_pre_ping": not self.is_sqlite} if pooled else {"poolclass": NullPool}
        try:
            self.engine = sqlalchemy.create_engine(self.url, connect_args=arguments, **pool)
        except sqlalchemy.exc.ArgumentError as error:
            raise ChallengeError(f"--database {url}: {error}. Write sqlite:///FILE or postgresql://...") from error
        if self.is_sqlite:
            _protect(self.url)
            event.listen(self.engine, "connect", _prepare_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        self._readers = sessionmaker(self.engine, expire_on_commit=False)
        self._writers = sessionmaker(self.engine.execution_options(writes=True), expire_on_commit=False)

    def migrate(self) -> None:
        """Brings the tables to the newest form; several processes may start at once."""
        if self._form() == _newest():
            return
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        with self.engine.execution_options(writes=True).begin() as connection:
            if not self.is_sqlite:
                connection.execute(sqlalchemy.text("SELECT pg_advisory_xact_lock(727074)"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")

    def _form(self) -> str | None:
        """The number of the tables' form; None for an empty database."""
        with self.engine.connect() as connection:
            return MigrationContext.configure(connection).get_current_revision()

    @contextlib.contextmanager
    def write(self) -> Iterator[Session]:
        """A transaction that is committed at the end of the block and undone if the block raises."""
        with self._writers() as session, session.begin():
            yield session

    @contextlib.contextmanager
    def read(self) -> Iterator[Session]:
        """A transaction for looking."""
        with self._readers() as session:
            yield session

    @property
    def trouble(self) -> str:
        """Why it will soon take nothing more; empty while all is well."""
        path = make_url(self.url).database
        if not self.is_sqlite or not path or not Path(path).exists():
            return ""
        left = shutil.disk_usage(Path(path).parent).free
        return f"the disk of {path} is almost full: {left >> 20} MB are left" if left < ENOUGH else ""

    def close(self) -> None:
        self.engine.dispose()


def open_database(url: str, pooled: bool = True) -> Database:
    """The database at `url`, ready for use; where connections are not `pooled`, none is kept after its transaction."""
    database = Database(url, pooled)
    try:
        database.migrate()
    except sqlalchemy.exc.OperationalError as error:
        raise ChallengeError(f"the database {_shown(url)} cannot be opened: {error.orig}.") from error
    return database


@cache
def _newest() -> str | None:
    """The number of the newest form that this version knows."""
    return ScriptDirectory(str(MIGRATIONS)).get_current_head()


def hold(database: Database) -> IO[str] | None:
    """Says that a server has this SQLite file, until what is returned is closed or the process dies.

    A second one beside it would take its tables. Servers of one PostgreSQL database know of each other.
    """
    path = make_url(database.url).database
    if not database.is_sqlite or not path or path == ":memory:":
        return None
    try:
        import fcntl
    except ImportError:  # not on Windows
        return None
    file = Path(f"{path}.lock").open("w")  # noqa: SIM115
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        file.close()
        text = f"a server runs on {path} already; stop it, or give this one another --database."
        raise ChallengeError(text) from error
    return file


def _with_driver(url: str) -> str:
    if "://" not in url:
        return f"sqlite:///{url}"
    for prefix in ("postgresql://", "postgres://"):
        if url.startswith(prefix):
            return "postgresql+psycopg://" + url.removeprefix(prefix)
    return url


def _shown(url: str) -> str:
    return make_url(_with_driver(url)).render_as_string(hide_password=True)


def _protect(url: str) -> None:
    """The file holds secrets: it is its owner's alone."""
    path = make_url(url).database
    if path and path != ":memory:" and not path.startswith("file:"):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _prepare_sqlite(connection: Any, record: Any) -> None:
    del record
    connection.isolation_level = None  # we say BEGIN ourselves: see _begin_sqlite
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=30000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    # A transaction that reads first and writes later can fail half-way; taking the write lock first cannot.
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
