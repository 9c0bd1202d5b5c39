"""A function fits on a screen: none is longer than 70 lines, nine of ten have 25 or fewer."""

from __future__ import annotations

import ast
from pathlib import Path
from statistics import quantiles

REPOSITORY = Path(__file__).parents[1]
SOURCES = ("src", "pool/src", "clients/python/src", "studies", "benchmarks", "examples")


def lengths() -> dict[str, int]:
    """Lines of every function, by its place."""
    found = {}
    for file in (file for folder in SOURCES for file in sorted((REPOSITORY / folder).rglob("*.py"))):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{file.relative_to(REPOSITORY)}:{node.lineno} {node.name}"
                found[place] = (node.end_lineno or node.lineno) - node.lineno + 1
    return found


def test_no_function_is_longer_than_a_screen():
    found = lengths()
    assert len(found) > 1000
    assert {place: lines for place, lines in found.items() if lines > 70} == {}
    assert quantiles(found.values(), n=10)[-1] <= 25
