"""Servers at the AH2AC2 addresses, and entrants."""

from __future__ import annotations

import io
import itertools
import logging.config
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi")


from coplay.serve.http.logs import logging_settings
from coplay.serve.ledger.hosting import host
from coplay.serve.ledger.hosting.host import Keys
from tests.adapters.ah2ac2_server.harness import Host, hosting
from tests.conftest import new_database

_numbers = itertools.count()


@pytest.fixture(scope="module")
def log() -> Iterator[io.StringIO]:
    """What the servers say, with the logging of `coplay serve`."""
    stream, logs = io.StringIO(), logging_settings()
    logs["handlers"]["stderr"]["stream"] = stream
    logging.config.dictConfig(logs)
    yield stream
    for name in logs["loggers"]:
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True


@pytest.fixture(scope="module")
def sqlite_app(tmp_path_factory: pytest.TempPathFactory, log: io.StringIO) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("ah2ac2")
    with hosting(f"sqlite:///{folder}/coplay.db", folder, log) as running:
        yield running


@pytest.fixture(scope="module")
def postgresql_app(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, log: io.StringIO
) -> Iterator[Host]:
    folder = tmp_path_factory.mktemp("ah2ac2")
    with hosting(new_database(request, folder, "postgresql"), folder, log) as running:
        yield running


@pytest.fixture
def app(request: pytest.FixtureRequest) -> Host:
    """On SQLite, unless a test wants both kinds of database."""
    return request.getfixturevalue(f"{getattr(request, 'param', 'sqlite')}_app")


@pytest.fixture
def keys(app: Host) -> Keys:
    """Those of a new entrant."""
    with app.server.database.write() as transaction:
        _, found = host.register(transaction, "small", f"entrant {next(_numbers)}", "m", "c", "none")
    assert found is not None
    return found
