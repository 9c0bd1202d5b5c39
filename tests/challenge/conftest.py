"""A server without a network: the engine's rounds are run by hand, one command at a time."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("fastapi")

from tests.challenge.harness import House
from tests.challenge.postgres import NoPostgres, running_postgres

_names = itertools.count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a running PostgreSQL, with {} for a database's name."""
    try:
        with running_postgres() as address:
            yield address
    except NoPostgres as why:
        pytest.skip(str(why))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A new, empty database of each kind."""
    return _new_database(request, tmp_path)


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def module_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One for all tests of a file."""
    return _new_database(request, tmp_path_factory.mktemp("database"))


def _new_database(request: pytest.FixtureRequest, folder: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{folder}/coplay.db"
    import psycopg

    address, name = request.getfixturevalue("postgres"), f"test{next(_names)}"
    with psycopg.connect(address.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # pyright: ignore[reportArgumentType, reportCallIssue]
    return address.format(name)


@pytest.fixture
def house(url: str) -> Iterator[House]:
    """A small challenge on either kind of database."""
    made = House(url)
    yield made
    made.close()


@pytest.fixture
def sqlite_house(tmp_path: Path) -> Iterator[House]:
    """A small challenge, where the kind of database does not matter."""
    made = House(f"sqlite:///{tmp_path}/coplay.db")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    """Errors that tests provoke are not printed."""
    logger = logging.getLogger("coplay.challenge")
    before, logger.level = logger.level, logging.CRITICAL
    yield
    logger.level = before
