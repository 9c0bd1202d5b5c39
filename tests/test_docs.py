"""What the pages name is there: files, modules, commands and their options."""

from __future__ import annotations

import importlib
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from coplay.cli.app import app

ROOT = Path(__file__).parents[1]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
FENCED = re.compile(r"^```[^\n]*\n(.*?)^```$", re.M | re.S)
# Entry points, and a database.
NO_MODULES = {"coplay.recipes", "coplay.measures", "coplay.pools", "coplay.db"}
COMMANDS: Any = typer.main.get_command(app)


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_a_page_names_exist(page: Path):
    named = re.findall(
        r"`((?:src|benchmarks|examples|studies|pool|deploy|clients|tests)/[\w./-]+)[`:]", page.read_text()
    )
    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_python_names_that_a_page_gives_exist(page: Path):
    missing = []
    text = page.read_text()
    named = re.findall(r"`(coplay(?:\.\w+)+)(?:\([^`]*\))?`", text)
    for module, names in re.findall(r"^from (coplay[\w.]*) import ([\w, ]+)", text, re.M):
        named += [f"{module}.{name.partition(' as ')[0].strip()}" for name in names.split(",")]
    for name in set(named) - NO_MODULES:
        if not _found(name):
            missing.append(name)
    assert missing == []


def _found(name: str) -> bool:
    parts = name.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            thing = importlib.import_module(".".join(parts[:cut]))
        except ImportError:
            continue
        for attribute in parts[cut:]:
            if not hasattr(thing, attribute):
                return False
            thing = getattr(thing, attribute)
        return True
    return False


def typed(text: str) -> list[list[str]]:
    """The words of every `coplay …` that a page shows as typed; what is only sketched (…, [a]) is left out."""
    blocks = [block.replace("\\\n", " ") for block in FENCED.findall(text)]
    lines = [line for block in blocks for line in block.splitlines()]
    lines += re.findall(r"`(coplay [^`\n]+)`", FENCED.sub("", text))
    found = []
    for line in lines:
        line = re.sub(r"^(?:\$ |.*\| |(?:\.venv/bin/)(?=coplay ))", "", line.strip())
        if not re.match(r"(?:\.venv/bin/)?coplay [a-z]", line) or re.search(r"[…\[\]]", line):
            continue
        found.append(shlex.split(line, comments=True)[1:])
    return found


def test_the_pages_show_commands():
    assert sum(len(typed(page.read_text())) for page in PAGES) > 150


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_and_options_that_a_page_shows_exist(page: Path):
    wrong = []
    for words in typed(page.read_text()):
        command: Any = COMMANDS
        rest = list(words)
        if words[0] == "study" and len(words) > 1:  # what follows is the study's own
            module = importlib.import_module(f"studies.{words[1]}.__main__")
            command, rest = typer.main.get_command(module.app), rest[2:]
        while rest and hasattr(command, "commands"):
            if rest[0] not in command.commands:
                wrong.append(" ".join(words))
                break
            command = command.commands[rest.pop(0)]
        known = {option for parameter in command.params for option in [*parameter.opts, *parameter.secondary_opts]}
        wrong += [
            f"{' '.join(words)}: {word}"
            for word in rest
            if word.startswith("--") and word.split("=")[0] not in known | {"--help"}
        ]
    assert wrong == []
