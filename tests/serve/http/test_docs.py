"""The tests that docs/challenge-failures.md names are there, and run on both kinds of database."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).parents[2]
LINES = (TESTS.parent / "docs" / "challenge-failures.md").read_text().splitlines()
ROWS = [line for line in LINES if line.startswith("| ")][1:]  # without the heading
BOTH = {
    "url",
    "empty_url",
    "new_url",
    "module_url",
    "house",
    "played",
    "server",
    "room",
}  # fixtures that come once for each kind


def on_both(file: Path, name: str) -> bool:
    """Does the test run on both kinds of database? KeyError if there is no such test."""
    tests = {node.name: node for node in ast.parse(file.read_text()).body if isinstance(node, ast.FunctionDef)}
    marks = " ".join(ast.unparse(mark) for mark in tests[name].decorator_list)
    asked = {argument.arg for argument in tests[name].args.args}
    return bool(asked & BOTH) or bool(re.search("DATABASES|on_both_databases|'sqlite'.*'postgresql'", marks))


def test_every_failure_is_tested_on_both_databases() -> None:
    assert len(ROWS) == 24
    for row in ROWS:
        named = re.findall(r"(\*?)`([\w/]+\.py)::(\w+)`", row)
        assert any(not free for free, *_ in named), row
        for free, file, name in named:
            assert on_both(TESTS / file, name) is not bool(free), name
