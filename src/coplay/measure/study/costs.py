"""What agents have cost whose moves cost something (`Agent.spent`): costs.csv beside the games they were spent on."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from coplay.files import csv_text

NAME = "costs.csv"


class Cost(NamedTuple):
    """Of one agent in one job."""

    agent: str
    what: str
    amount: float


def spent(players: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """(agent, what) -> what they have cost so far."""
    told = ((name, dict(getattr(player, "spent", {}))) for name, player in players.items())
    return {(name, what): amount for name, mine in told for what, amount in mine.items()}


def since(before: Mapping[tuple[str, str], float], now: Mapping[tuple[str, str], float]) -> tuple[Cost, ...]:
    """What was added."""
    added = {place: amount - before.get(place, 0) for place, amount in now.items()}
    return tuple(Cost(*place, amount) for place, amount in added.items() if amount)


def keep_costs(folder: Path, costs: Iterable[Cost]) -> None:
    """Before the games are kept: what was spent is spent, also where the job has to be played again."""
    rows = [list(one) for one in costs]
    if not rows:
        return
    with (folder / NAME).open("a", encoding="utf-8", newline="") as file:
        file.write(csv_text(rows if file.tell() else [list(Cost._fields), *rows]))


def costs_in(folder: Path) -> dict[str, dict[str, float]]:
    """Agent -> what -> amount, of all jobs of a run, with those of the unit tests in it."""
    found: dict[str, dict[str, float]] = {}
    for place in sorted(folder.glob(f"**/{NAME}")):
        with place.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                mine = found.setdefault(row["agent"], {})
                mine[row["what"]] = mine.get(row["what"], 0) + float(row["amount"])
    return found
