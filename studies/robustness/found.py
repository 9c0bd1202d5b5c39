"""What the seeds of every population came to, over kitchens, with standard errors; and differences between them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from studies.robustness.judge import Line

MEASURES = ("state", "agent", "memory", "tests", "validation")
CLEAR = 2.0  # standard errors: a difference of more than these counts


class Value(NamedTuple):
    """A mean and its standard error between seeds; the error is NaN where a kitchen has one seed only."""

    mean: float
    error: float

    @property
    def sign(self) -> int:
        """1 or -1 where it clearly differs from 0, else 0."""
        return int(math.copysign(1, self.mean)) if abs(self.mean) > CLEAR * self.error else 0

    def text(self, form: str = ".2f") -> str:
        return f"{self.mean:{form}}" + ("" if math.isnan(self.error) else f" ± {self.error:{form}}")

    def less(self, other: Value) -> Value:
        return Value(self.mean - other.mean, math.hypot(self.error, other.error))


class Setting(NamedTuple):
    """Learners of one population with one kind of starts."""

    population: str
    starts: str
    lines: tuple[Line, ...]

    @property
    def label(self) -> str:
        return f"{self.population}, {self.starts}"

    @property
    def short(self) -> str:
        """For figures, which have room for eighteen letters: `10+10, diverse`, `200 drawn, diverse`."""
        if "+" in self.population:
            population = "+".join(part.split()[0] for part in self.population.split(" + "))
        else:
            population = self.population.replace("random ToM", "drawn")
        return f"{population}, {self.starts}"

    @property
    def layouts(self) -> list[str]:
        return list(dict.fromkeys(line.layout for line in self.lines))

    def value(self, measure: str, layout: str | None = None) -> Value:
        """In one kitchen over seeds; without one over kitchens, each counting the same."""
        if layout is None:
            return together([self.value(measure, one) for one in self.layouts])
        figures = [getattr(line, measure) for line in self.lines if line.layout == layout]
        spread = np.std(figures, ddof=1) / len(figures) ** 0.5 if len(figures) > 1 else math.nan
        return Value(float(np.mean(figures)), float(spread))


def together(values: Sequence[Value]) -> Value:
    """The mean of independent ones."""
    errors = [value.error for value in values]
    return Value(float(np.mean([value.mean for value in values])), math.hypot(*errors) / len(values))


def settings_in(lines: Iterable[Line]) -> list[Setting]:
    """In the order of the lines, ordinary starts before diverse ones."""
    found: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        found.setdefault((line.population, line.starts), []).append(line)
    order = list(dict.fromkeys(population for population, _ in found))
    keys = sorted(found, key=lambda key: (order.index(key[0]), key[1] != "ordinary"))
    return [Setting(*key, tuple(found[key])) for key in keys]
