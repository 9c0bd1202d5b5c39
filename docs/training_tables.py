"""Writes the tables of settings and of the log into docs/training.md, from the code.

python docs/training_tables.py
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from coplay.specs import value_text
from coplay.train.recipe import LearnerSettings, recipe_named
from coplay.train.words import METRICS, RECIPES, SETTINGS

PAGE = Path(__file__).parent / "training.md"
# In the order of the page; mep, trajedi and hsp begin as fcp does.
ORDER = ("obl", "hdr_ippo", "br_bc", "best_response", "population", "fcp", "mep", "trajedi", "hsp", "cole", "e3t")
ORDER += ("preferring", "bc")


def with_tables(page: str) -> str:
    """The page with its tables written anew; each lies between two marks."""
    for name, table in (("settings", settings()), ("recipes", recipes()), ("log", log())):
        begin, end = f"<!-- {name}: training_tables.py -->\n", f"<!-- end of {name} -->\n"
        found = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.S)
        if not found.search(page):
            raise SystemExit(f"{PAGE} has no place for the table of {name}: {begin.strip()} and {end.strip()}.")
        page = found.sub(lambda _, whole=f"{begin}\n{table}\n{end}": whole, page)
    return page


def settings() -> str:
    fields = dataclasses.fields(LearnerSettings)
    rows = [(f"`{one.name}`", default(one.default), SETTINGS[one.name]) for one in fields]
    return table(("setting", "default", "meaning"), rows)


def recipes() -> str:
    """A row for each setting that a recipe adds, or has another default for."""
    rows = []
    for recipe in ORDER:
        known = {} if recipe == "bc" else {one.name: one.default for one in dataclasses.fields(LearnerSettings)}
        for one in dataclasses.fields(recipe_named(recipe).Settings):
            if one.name not in known or known[one.name] != one.default:
                says = RECIPES.get(recipe, {}).get(one.name, "")
                rows.append((f"`{recipe}`", f"`{one.name}`", default(one.default), says))
    return table(("recipe", "setting", "default", "meaning"), rows)


def log() -> str:
    rows = [(", ".join(f"`{name}`" for name in names.split(", ")), says) for names, says in METRICS.items()]
    return table(("key", "meaning"), rows)


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [head, ["---"] * len(tuple(head)), *rows]
    return "".join(f"| {' | '.join(line)} |\n".replace("|  |", "| |") for line in lines)


def default(value: Any) -> str:
    """As it would be typed; numbers short."""
    if value is dataclasses.MISSING:
        return ""
    if isinstance(value, float) and (abs(value) >= 1e4 or 0 < abs(value) < 0.01):
        digits, power = f"{value:e}".split("e")
        return f"{float(digits):g}e{int(power)}"
    return f"{value:g}" if isinstance(value, float) else value_text(value)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text()))
