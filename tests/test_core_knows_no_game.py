"""The core knows no game: what is true of one stands in its folder of `worlds`, behind a face."""

from __future__ import annotations

import re
from pathlib import Path

import coplay
from coplay.registry import worlds

SOURCE = Path(coplay.__file__).parent
MAY_KNOW = ("worlds", "adapters")


def core() -> list[Path]:
    return [file for file in sorted(SOURCE.rglob("*.py")) if file.relative_to(SOURCE).parts[0] not in MAY_KNOW]


def test_no_module_of_the_core_imports_a_world():
    names = "|".join(worlds())
    pattern = re.compile(rf"^\s*(from|import)\s+coplay\.worlds(\.({names})|\s+import\s+({names}))\b", re.MULTILINE)
    assert len(core()) > 100
    assert [str(file.relative_to(SOURCE)) for file in core() if pattern.search(file.read_text())] == []


def test_no_module_of_the_core_asks_which_game_it_is():
    """Neither by its class nor by its name, nor for a setting that one game alone has."""
    classes = {"Football", "Hanabi", "Overcooked"}
    asks = re.compile(rf"isinstance\([^)]*\b({'|'.join(classes)})\b|\.name [!=]= \"({'|'.join(worlds())})")
    assert [str(file.relative_to(SOURCE)) for file in core() if asks.search(file.read_text())] == []
