"""The two distributions: the program is small and whole, the pool is data beside it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MEGABYTE = 10**6


def build(project: Path, out: Path, kind: str = "wheel") -> Path:
    """The file that `python -m build` would make."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", str(out)]
    subprocess.run(command, cwd=project, check=True, capture_output=True)
    return next(out.glob("*.whl" if kind == "wheel" else "*.tar.gz"))


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def names(wheel: Path) -> list[str]:
    return zipfile.ZipFile(wheel).namelist()


def test_the_program_is_small(wheel: Path, tmp_path: Path):
    assert wheel.stat().st_size <= 3 * MEGABYTE
    assert build(ROOT, tmp_path, "sdist").stat().st_size <= 3 * MEGABYTE


def test_no_data_of_the_pool_is_in_it(names: list[str]):
    assert not [name for name in names if name.endswith((".safetensors", ".csv"))]
    assert not [name for name in names if name.startswith("coplay/pool/") and not name.endswith(".py")]


def test_every_file_of_the_package_is_in_it(names: list[str]):
    """Layouts, unit tests, templates, scripts and migrations are read at run time."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src/coplay"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("needs a checkout that git knows")
    there = {name.removeprefix("src/") for name in listed.stdout.splitlines() if (ROOT / name).exists()}
    assert {"coplay/py.typed", "coplay/worlds/overcooked/kitchen/layouts.txt"} <= there
    assert {Path(name).suffix for name in there} >= {".py", ".txt", ".toml", ".html", ".js", ".css", ".mako", ".svg"}
    assert there <= set(names)


def test_the_wheel_runs_without_the_pool_and_with_it(wheel: Path, tmp_path: Path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    program = (
        "import sys, coplay\n"
        "from coplay.pool.pool import entries\n"
        "from coplay.pool.sources import folders, missing\n"
        f"assert coplay.__file__.startswith({str(tmp_path)!r})\n"
        "sys.modules['coplay_pool'] = None\n"
        "assert 'pip install coplay-pool' in missing() and not entries()\n"
        "print(coplay.play(coplay.make('hanabi-very-small'), 'random', games=2, engine='lockstep').scores)\n"
        "del sys.modules['coplay_pool']\n"
        "folders.cache_clear()\n"
        "assert not missing() and 'hanabi-2p-ippo-0' in entries()\n"
    )
    path = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT / "pool" / "src")])}
    subprocess.run([sys.executable, "-c", program], check=True, env=path, cwd=tmp_path)


def test_the_pool_has_all_its_files_and_announces_itself(tmp_path: Path):
    wheel = zipfile.ZipFile(build(ROOT / "pool", tmp_path))
    names = wheel.namelist()
    mine = [path for path in (ROOT / "pool" / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert {str(path.relative_to(ROOT / "pool" / "src")) for path in mine} <= set(names)
    points = next(name for name in names if name.endswith("entry_points.txt"))
    assert "[coplay.pools]\ncoplay-pool = coplay_pool" in wheel.read(points).decode()


def test_both_have_the_same_version():
    found = {
        re.search(r'__version__ = "(.*)"', (ROOT / file).read_text()).group(1)  # pyright: ignore[reportOptionalMemberAccess]
        for file in ("src/coplay/__init__.py", "pool/src/coplay_pool/__init__.py")
    }
    assert len(found) == 1


def test_what_is_locked_to_run_is_locked_to_work_on_it():
    runs, works = (
        set(re.findall(r"^([a-z0-9_.-]+==[^ ]+)", (ROOT / file).read_text(), re.M))
        for file in ("requirements.lock", "requirements-dev.lock")
    )
    assert runs < works


def test_every_python_that_is_declared_can_have_it():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [line.rpartition(" ")[2] for line in project["classifiers"] if ":: Python :: 3." in line]
    assert declared == ["3.11", "3.12", "3.13"]
    assert project["requires-python"] == ">=3.11"
