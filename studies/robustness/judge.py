"""What the learners of a run come to in the unit tests and with the partners that validate: a line per learner."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple, get_type_hints

import jax.numpy as jnp
import numpy as np

from coplay.agents.spec import agent
from coplay.files import csv_text, write_whole
from coplay.measure.robustness import robustness
from coplay.train.learner.partners import alike, stacked
from coplay.train.pairs import play_pairs
from studies.robustness.plan import WHOLE, Job, Place, Scale, theory_of_mind, validators
from studies.robustness.side_by_side import taken

SEED = 7  # of all games; nobody learned from them
NOBODY = "–"  # where a line has no starts, seed and turns: a partner is judged, not a learner
CATEGORIES = ("state", "agent", "memory")


class Line(NamedTuple):
    """A line of the table of all numbers."""

    layout: str
    games: str  # whose were recorded: people's, or a surrogate's
    starts: str
    population: str
    seed: int
    turns: int
    state: float
    agent: float
    memory: float
    validation: float
    with_tom: float  # the part of the suite that is Theory-of-Mind agents
    with_clones: float
    rollouts: int
    each: int

    @property
    def tests(self) -> float:
        return (self.state + self.agent + self.memory) / 3


class Entrant(NamedTuple):
    """Somebody to be judged."""

    population: str
    seed: int
    spec: str


def judge(what: Job | Place, scale: Scale) -> list[Line]:
    """Judges who is missing: the learners of a run that is whole, or the partners of single learners in a kitchen."""
    return judge_learners(what, scale) if isinstance(what, Job) else judge_partners(what, scale)


def judge_learners(job: Job, scale: Scale) -> list[Line]:
    """Of all populations and seeds."""
    about = json.loads((job.folder / WHOLE).read_text(encoding="utf-8"))
    entrants = [
        Entrant(name, seed, f"run:{job.folder}/agent-{number}.safetensors?greedy=false")
        for name, numbers in about["learners"].items()
        for seed, number in enumerate(numbers)
    ]
    return _judged(job.place, job.judged, job.starts, entrants, round(about["turns"]), scale)


def judge_partners(place: Place, scale: Scale) -> list[Line]:
    """The best clone and the fitted Theory-of-Mind agent, as the paper's appendices C and D."""
    entrants = [Entrant("clone", 0, place.clone(place.best())), Entrant("fitted ToM", 0, theory_of_mind("fitted"))]
    return _judged(place, place.root / "judged" / place.layout / "partners", NOBODY, entrants, 0, scale)


def _judged(
    place: Place, folder: Path, starts: str, entrants: Sequence[Entrant], turns: int, scale: Scale
) -> list[Line]:
    lines = []
    for one in entrants:
        own = folder / f"{one.population}-{one.seed}".replace(" ", "-")
        file = own / "line.csv"
        if not file.exists():
            names = (*CATEGORIES, "validation", "with_tom", "with_clones")
            figures = [*_tests(place, one, own, scale), *_validation(place, one, scale)]
            about = (place.layout, place.whose(), starts, one.population, one.seed, turns)
            told = {name: round(value, 4) for name, value in zip(names, figures, strict=True)}
            write_lines(file, [Line(*about, rollouts=scale.rollouts, each=scale.each, **told)])
        lines += read_lines(file)
    return lines


def _tests(place: Place, one: Entrant, folder: Path, scale: Scale) -> list[float]:
    """The share of passed tests of every category."""
    name = f"{one.population} {one.seed}"
    found = robustness(place.game, one.spec, scale.rollouts, SEED, out=folder / "tests", name=name)
    return [found.category(category).value for category in CATEGORIES]


def _validation(place: Place, one: Entrant, scale: Scale) -> list[float]:
    """The mean score with the suite, with its Theory-of-Mind agents, with its clones."""
    player = agent(one.spec, place.game)
    parts = []
    for group in alike([agent(spec, place.game) for spec in validators(place, scale)]):
        copies = taken(stacked([player, player]), jnp.zeros(len(group), int))
        parts.append(play_pairs(place.game, copies, stacked(group), scale.each, SEED).means)
    tom, clones = parts
    return [float(np.mean([*tom, *clones])), float(tom.mean()), float(clones.mean())]


def write_lines(file: Path, lines: Iterable[Line]) -> None:
    write_whole(file, csv_text([list(Line._fields), *(list(line) for line in lines)]))


def read_lines(file: Path) -> list[Line]:
    """As they were written."""
    kinds = get_type_hints(Line)
    with file.open(encoding="utf-8", newline="") as rows:
        return [Line(**{name: kinds[name](value) for name, value in row.items()}) for row in csv.DictReader(rows)]
