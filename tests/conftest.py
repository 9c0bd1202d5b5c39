"""Paths and databases that tests share. Files under ../shared are optional: what needs them skips and says so."""

from __future__ import annotations

import ctypes
import gc
import itertools
import os
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

# Most of a test's time is compilation. So compiled programs are kept between runs, and they are compiled in haste, here
# and in processes started from here. tests/test_compiling.py looks at games compiled as users compile them; all tests:
# XLA_FLAGS= JAX_DISABLE_MOST_OPTIMIZATIONS=false make test
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(Path(__file__).parents[1] / ".jax_cache"))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.2")
os.environ.setdefault("JAX_DISABLE_MOST_OPTIMIZATIONS", "true")
os.environ.setdefault("XLA_FLAGS", "--xla_cpu_use_fusion_emitters=false --xla_cpu_parallel_codegen_split_count=1")

# Databases wait for the disk at every commit, 5 ms each; so folders of tests lie in memory where it has 2 GB for them.
os.environ.setdefault(
    "PYTEST_DEBUG_TEMPROOT",
    "/dev/shm" if os.path.isdir("/dev/shm") and shutil.disk_usage("/dev/shm").free > 2**31 else tempfile.gettempdir(),
)

# Where Python is kept from writing bytecode, every process started from here would translate all of JAX again: 2 s.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

import pytest

from tests.databases import create, ready_postgresql, ready_sqlite
from tests.postgres import NoPostgres, running_postgres

sys.dont_write_bytecode = False

# Tracing makes millions of small objects that live. To look through them for garbage as often as Python does takes a
# seventh of the time; a process of tests looks at its memory after every test (pytest_runtest_protocol).
gc.set_threshold(50_000, 20, 20)

GOLDEN = Path(__file__).parent / "golden"
SHARED = Path(__file__).parents[2] / "shared"
DATABASES = ["sqlite", "postgresql"]

_names = itertools.count()

MEMORY = 5 * 2**29  # bytes that a process of tests may need
ENOUGH = 7 * 2**28  # from here on it lets go of what it compiled between two files,
FULL = 2**31  # and from here on between two tests,
GROWN = 2**28  # if it holds so much more than after the last time
_kept = 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """As many processes as there are cores, but no more than fit into the memory that is free."""
    return max(1, min(os.cpu_count() or 1, memory_free() // MEMORY))


def memory_free() -> int:
    """Bytes that programs can still have; where that cannot be known, enough for two."""
    try:
        lines = dict(line.split(":") for line in Path("/proc/meminfo").read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError):
        return 2 * MEMORY


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with a slow test come first, and folders with many tests: all would wait for a long one begun last.

    Those of a folder come one after the other, because they share programs, which are let go of after a while.
    """
    count = Counter(item.path for item in items)
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    size = Counter(_part(item) for item in items)

    def place(item: pytest.Item) -> Any:
        return item.path not in slow, -size[_part(item)], _part(item), -count[item.path], item.path

    items.sort(key=place)


def _part(item: pytest.Item) -> tuple[str, ...]:
    """The folder that a test belongs to, of those that lie at most two deep."""
    return item.path.relative_to(Path(__file__).parent).parent.parts[:2]


def pytest_collection_finish() -> None:
    """What all tests share stays until the end: nobody looks there for garbage again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> Generator[None, object, object]:
    """Lets go of compiled programs before they fill the memory; those that come again are read from the disk.

    Between files, because tests of one file share most programs, and no sooner than the memory has grown: what is not
    let go of by the first time is not by the second, and each time all is traced again.
    """
    ran = yield
    between = nextitem is None or nextitem.path != item.path
    if "jax" in sys.modules and memory_used() > max(ENOUGH if between else FULL, _kept + GROWN):
        let_go()
    return ran


def let_go() -> None:
    global _kept
    sys.modules["jax"].clear_caches()
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)  # else the C library keeps what was let go
    _kept = memory_used()


def memory_used() -> int:
    """Bytes that this process occupies now; where that cannot be known, more than it may."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return MEMORY


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
    """Makes new databases, all of one kind: first of one, then of the other."""
    return lambda: new_database(request, tmp_path, request.param)


@pytest.fixture
def url(new_url: Callable[[], str]) -> str:
    """A new database of each kind."""
    return new_url()


@pytest.fixture(params=DATABASES)
def empty_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """One of each kind without any table."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/empty.db"
    return create(request.getfixturevalue("postgres"), f"empty{next(_names)}")


@pytest.fixture(scope="module", params=DATABASES)
def module_url(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """One for all tests of a file."""
    return new_database(request, tmp_path_factory.mktemp("database"), request.param)


def new_database(request: pytest.FixtureRequest, folder: Path, kind: str) -> str:
    """The address of a database without any content."""
    name = f"test{next(_names)}"
    if kind == "sqlite":
        return ready_sqlite(folder / f"{name}.db")
    return ready_postgresql(request.getfixturevalue("postgres"), name)
