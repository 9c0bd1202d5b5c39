"""A server without a network: the engine's rounds are run by hand, one command at a time."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("sqlalchemy")
pytest.importorskip("fastapi")

from tests.serve.harness import House


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
    logger = logging.getLogger("coplay.serve")
    before, logger.level = logger.level, logging.CRITICAL
    yield
    logger.level = before
