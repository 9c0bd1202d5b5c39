"""What the agents that everybody has score with the shipped sets: a line per kitchen and agent."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, get_type_hints

import numpy as np

from coplay.files import csv_text, write_whole
from coplay.games import make, spec_of
from coplay.measure.evaluation import Evaluation, evaluate
from coplay.pool.pool import entries
from coplay.pool.reference import ALL, reference, reference_name, reference_text
from coplay.pool.reference import Met as Known

SCRIPTED = ("greedy-cook", "theory-of-mind", "random")
GAMES = 100  # in each seat


class Met(NamedTuple):
    """A line of sets.csv."""

    layout: str
    agent: str
    alone: float
    mean: float
    low: float
    high: float
    br_prox: float
    br_prox_low: float
    br_prox_high: float
    partners: int


def meet(runs: Path, layouts: Iterable[str], tables: Path | None = None) -> Iterator[Met]:
    """Plays what is missing; each evaluation is a folder with a page. `tables`: the folder of a pool's reference
    tables, which are given what was scored."""
    for layout in layouts:
        game = make("overcooked", layout=layout)
        trained = [f"pool:{one.id}" for one in entries().values() if one.game == spec_of(game)]
        known = dict(reference(game))
        for agent in (*SCRIPTED, *trained):
            found = evaluate(game, agent, games=GAMES, out=runs / layout / agent.replace(":", "-"))
            known |= _rows(agent, found)
            yield _line(layout, agent, found)
        if tables is not None:
            write_whole(tables / reference_name(game), reference_text(known))


def _rows(agent: str, found: Evaluation) -> dict[tuple[str, str], Known]:
    """(agent, partner) -> what it scored, as the tables have it: deals are what is drawn."""
    rows = {}
    for partner in found.run.partners:
        ways = [team for (name, _), team in found.games.items() if name == partner]
        deals = np.array([[row.score for row in team] for team in ways]).mean(0)
        error = float(deals.std(ddof=1) / len(deals) ** 0.5)
        rows[agent, partner] = Known(ALL, len(ways) * len(deals), float(deals.mean()), error)
    return rows


def _line(layout: str, agent: str, found: Evaluation) -> Met:
    assert found.proximity is not None  # every partner of a set has a ceiling
    mean, share = found.overall.mean, found.proximity.br_prox
    figures = (found.self_play.mean.value, mean.value, mean.low, mean.high, share.value, share.low, share.high)
    alone, *others = (round(float(one), 4) for one in figures)
    return Met(layout, agent, alone, *others, partners=found.overall.partners)


def write_met(file: Path, lines: Iterable[Met]) -> None:
    """Lines of other kitchens that stand there already stay."""
    made = list(lines)
    layouts = {line.layout for line in made}
    kept = [line for line in read_met(file) if line.layout not in layouts]
    write_whole(file, csv_text([list(Met._fields), *(list(line) for line in [*kept, *made])]))


def read_met(file: Path) -> list[Met]:
    """As they were written; none without a file."""
    if not file.is_file():
        return []
    kinds = get_type_hints(Met)
    with file.open(encoding="utf-8", newline="") as rows:
        return [Met(**{name: kinds[name](value) for name, value in row.items()}) for row in csv.DictReader(rows)]
