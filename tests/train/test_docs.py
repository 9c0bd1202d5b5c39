"""The page about training names every setting with its default, and every key of the log."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest

from coplay.specs import options_of, read_value
from coplay.train.recipe import LearnerSettings, recipe_named, recipe_names
from coplay.train.words import meaning

SCRIPT = Path(__file__).parents[2] / "docs" / "training_tables.py"
PAGE = (Path(__file__).parents[2] / "docs" / "training.md").read_text()


def rows(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    text = PAGE.split(f"\n{heading}\n", 1)[1]
    table = re.search(r"(?:^\|.*\n)+", text, re.M)
    assert table
    return [[cell.strip().strip("`") for cell in line.strip("|\n").split("|")] for line in table[0].splitlines()[2:]]


def told(kind: type, lines: list[list[str]]) -> dict[str, object]:
    known = options_of(kind)
    return {name: read_value(default, known[name]) for name, default, *_ in lines}


def test_the_learners_settings_are_those_of_the_code():
    fields = {field.name: field.default for field in dataclasses.fields(LearnerSettings)}
    assert told(LearnerSettings, rows("### Of every recipe but `bc`")) == fields


@pytest.mark.parametrize("recipe", [name for name in recipe_names() if ":" not in name])
def test_the_settings_of_a_recipe_are_those_of_the_code(recipe: str):
    kind = recipe_named(recipe).Settings
    general = {field.name: field.default for field in dataclasses.fields(LearnerSettings)} if recipe != "bc" else {}
    own = {f.name: f.default for f in dataclasses.fields(kind) if general.get(f.name, general) != f.default}
    assert told(kind, [line[1:] for line in rows("### Of one recipe") if line[0] == recipe]) == own


def test_the_tables_are_those_that_the_code_writes():
    import importlib.util

    spec = importlib.util.spec_from_file_location("training_tables", SCRIPT)
    assert spec
    assert spec.loader
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    assert script.with_tables(PAGE) == PAGE, f"run: python {SCRIPT}"


@pytest.mark.parametrize("recipe", [name for name in recipe_names() if ":" not in name])
def test_every_setting_is_explained(recipe: str):
    assert [name for name in options_of(recipe_named(recipe).Settings) if not meaning(recipe, name)] == []


def keys_of_the_log() -> set[str]:
    """What the page explains; `test_run.py` and `recipes/test_recipes.py` compare it with what their runs wrote."""
    first_cells = re.findall(r"^\| (`.*?) \|", PAGE.split("| key | meaning |")[1], re.M)
    return {name for cell in first_cells for name in re.findall(r"`(\w+)`", cell)}
