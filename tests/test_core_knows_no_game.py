"""The core knows no game: what is true of one stands in its folder of `worlds`, behind a face."""

from __future__ import annotations

import re
import tomllib
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


def test_the_import_contract_names_every_part_of_the_core():
    """A part that it leaves out could import a world, and `make check` would say nothing."""
    pyproject = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    (contract,) = [
        one for one in pyproject["tool"]["importlinter"]["contracts"] if one["name"] == "The core knows no game"
    ]
    parts = {file.relative_to(SOURCE).parts[0].removesuffix(".py") for file in core()} - {"__init__", "__main__"}
    assert {f"coplay.{part}" for part in parts} == set(contract["source_modules"])
    assert {f"coplay.worlds.{name}" for name in worlds()} == set(contract["forbidden_modules"])


def test_no_module_of_the_core_asks_which_game_it_is_by_name():
    asks = re.compile(rf"\.name [!=]= \"({'|'.join(worlds())})")
    assert [str(file.relative_to(SOURCE)) for file in core() if asks.search(file.read_text())] == []


def test_nobody_outside_a_world_asks_for_the_class_of_its_game():
    """Adapters, which may know everything, neither."""
    classes = {world.games[name].partition(":")[2] for name, world in worlds().items()}
    assert {"Football", "Hanabi", "Overcooked"} <= classes
    asks = re.compile(rf"isinstance\([^)]*\b({'|'.join(classes)})\b")
    outside = [file for file in sorted(SOURCE.rglob("*.py")) if file.relative_to(SOURCE).parts[0] != "worlds"]
    assert [str(file.relative_to(SOURCE)) for file in outside if asks.search(file.read_text())] == []
