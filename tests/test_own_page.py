"""The page "Add your own" is followed from an empty folder outside the package, as a reader would."""

from __future__ import annotations

import itertools
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

PAGE = Path(__file__).parents[1] / "docs" / "own.md"
FENCE = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.M | re.S)


class Part(NamedTuple):
    """The commands between two pieces of prose, and what the page says they print."""

    commands: tuple[str, ...]
    says: tuple[str, ...]


def files() -> dict[str, str]:
    return {title: text for _, title, text in FENCE.findall(PAGE.read_text()) if title}


def parts() -> list[Part]:
    found: list[Part] = []
    for language, _, text in FENCE.findall(PAGE.read_text()):
        lines = tuple(text.splitlines())
        if language == "sh":
            found.append(Part(lines, ()))
        elif language == "text":
            found[-1] = found[-1]._replace(says=lines)
    return found


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page's files, and what `pip install` makes of its pyproject.toml."""
    folder = tmp_path_factory.mktemp("own")
    for name, text in files().items():
        (folder / name).write_text(text)
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    about = folder / "coplay_levers-1.0.dist-info"
    about.mkdir()
    facts = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (about / "METADATA").write_text(facts)
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {target}\n" for name, target in points.items())
        for group, points in project["entry-points"].items()
    ]
    (about / "entry_points.txt").write_text("\n".join(groups))
    return folder


# Commands of coplay follow each other in one process, as if typed there: starting Python 14 times takes half a minute.
TYPE = """
import contextlib, io, json, shlex, sys
from coplay.cli import main
said = []
for command in json.loads(sys.stdin.read()):
    sys.argv, printed = shlex.split(command), io.StringIO()
    with contextlib.redirect_stdout(printed):
        try:
            main()
        except SystemExit as end:
            assert not end.code, (command, printed.getvalue(), end.code)
    said.append(printed.getvalue())
print(json.dumps(said), file=sys.__stdout__)
"""


def run(commands: list[str], folder: Path) -> list[str]:
    """What each of them prints."""
    found: list[str] = []
    for alone, group in itertools.groupby(commands, lambda command: not command.startswith("coplay ")):
        if alone:
            found += [_started(["sh", "-c", command], folder) for command in group]
        else:
            found += json.loads(
                _started([sys.executable, "-c", TYPE], folder, json.dumps(list(group))).splitlines()[-1]
            )
    return found


def _started(command: list[str], folder: Path, typed: str = "") -> str:
    here = {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "PYTHONPATH": str(folder), "COLUMNS": "200"}
    env = {**os.environ, **here}
    done = subprocess.run(command, cwd=folder, env=env, input=typed, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def words(text: str) -> str:
    """Without the lines of tables and the spaces between."""
    return " ".join(re.sub(r"[│┃|]", " ", text).split())


@pytest.mark.slow
def test_following_the_page_gives_what_it_says(folder: Path):
    """One after the other: later commands use what earlier ones trained."""
    said = iter(run([command for part in parts() for command in part.commands], folder))
    for part in parts():
        printed = words("\n".join(next(said) for _ in part.commands))
        for line in part.says:
            assert words(line) in printed, f"the page says {line!r}; printed:\n{printed}"


def test_the_page_covers_everything_that_can_be_added():
    assert {"levers.py", "players.py", "bonus.py", "loyalty.py", "pyproject.toml"} <= set(files())
    assert sum(len(part.says) for part in parts()) >= 10
    listed = PAGE.read_text()
    from coplay.completion import FILLED, REQUIRED

    assert [name for name in (*REQUIRED, *FILLED) if f"`{name}" not in listed] == []
