"""Paths and databases that tests share. Files under ../shared are optional: what needs them skips and says so."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path

# Compiled functions are kept between runs: most of a test's time is compilation.
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parents[1] / ".jax_cache"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.5")

import pytest

from tests.postgres import NoPostgres, running_postgres

GOLDEN = Path(__file__).parent / "golden"
SHARED = Path(__file__).parents[2] / "shared"
DATABASES = ["sqlite", "postgresql"]

_names = itertools.count()


@pytest.fixture(scope="session")
def golden() -> Path:
    """Recorded vectors that travel with the repository."""
    return GOLDEN


@pytest.fixture(scope="session")
def shared() -> Path:
    """Larger recordings that lie beside a developer's checkout."""
    if not SHARED.is_dir():
        pytest.skip("needs the recordings beside the repository (../shared)")
    return SHARED


@pytest.fixture(scope="module")
def quick_compile() -> Iterator[None]:
    """Programs are compiled in haste, here and in processes started from here: most take longer to compile than to
    run."""
    import jax

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAX_DISABLE_MOST_OPTIMIZATIONS", "true")
        jax.config.update("jax_disable_most_optimizations", True)
        yield
        jax.config.update("jax_disable_most_optimizations", False)


@pytest.fixture(scope="module", autouse=True)
def compiled_as_suits(request: pytest.FixtureRequest) -> None:
    """Games and bots are held against recordings as users compile them, everything else in haste."""
    if request.path.relative_to(Path(__file__).parent).parts[0] not in ("games", "agents"):
        request.getfixturevalue("quick_compile")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a running PostgreSQL, with {} for a database's name."""
    try:
        with running_postgres() as address:
            yield address
    except NoPostgres as why:
        pytest.skip(str(why))


@pytest.fixture(params=DATABASES)
def new_url(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Makes new, empty databases, all of one kind: first of one, then of the other."""
    return lambda: new_database(request, tmp_path, request.param)


@pytest.fixture
def url(new_url: Callable[[], str]) -> str:
    """A new, empty database of each kind."""
    return new_url()


@pytest.fixture(scope="module", params=DATABASES)
def module_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One for all tests of a file."""
    return new_database(request, tmp_path_factory.mktemp("database"), request.param)


def new_database(request: pytest.FixtureRequest, folder: Path, kind: str) -> str:
    """The address of an empty database."""
    name = f"test{next(_names)}"
    if kind == "sqlite":
        return f"sqlite:///{folder}/{name}.db"
    import psycopg

    address = request.getfixturevalue("postgres")
    with psycopg.connect(address.format("postgres"), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # pyright: ignore[reportArgumentType, reportCallIssue]
    return address.format(name)
