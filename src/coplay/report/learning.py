"""Learning curves: what a run's log says over its turns, every seed and their mean, several runs in one picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from coplay.measure import MeasureError
from coplay.report.charts import _chart, _line, _text, nice_ticks
from coplay.report.html import shortened
from coplay.specs import unknown
from coplay.train.trackers import METRICS, STEPS, figures_of, lines_of

POINTS = 120  # of a curve in a picture: more cannot be told apart
COLOURS = 5  # runs in a picture; then they come again, dashed


class Learned(NamedTuple):
    """The log of one run."""

    label: str
    unit: str  # turns, or epochs of recorded games
    figures: Mapping[str, tuple[np.ndarray, np.ndarray]]  # name -> places [lines], values [lines, seeds]


def read_learned(folder: str | Path) -> Learned:
    """The log of a run folder; of a clone's, whose seeds have lines of their own, too."""
    lines = lines_of(Path(folder))
    if not lines:
        raise MeasureError(f"{folder} has no log: {METRICS} is missing or empty. Name folders of `coplay train`.")
    unit = next((name for name in STEPS if name in lines[0]), "updates")
    table: dict[str, dict[int, dict[int, float]]] = {}
    for line in lines:
        for name, value in figures_of(line).items():
            base, _, seed = name.partition("/")
            table.setdefault(base, {}).setdefault(int(line[unit]), {})[int(seed or 0)] = value
    return Learned(str(folder), unit, {name: _as_arrays(places) for name, places in table.items()})


def _as_arrays(places: dict[int, dict[int, float]]) -> tuple[np.ndarray, np.ndarray]:
    seeds = sorted({seed for values in places.values() for seed in values})
    rows = [[values.get(seed, math.nan) for seed in seeds] for values in places.values()]
    return np.array(list(places), float), np.array(rows)


def shown_metrics(runs: Sequence[Learned], wanted: Sequence[str] = ()) -> list[str]:
    """What all runs have in common, the score first; or those that are asked for."""
    known = [name for name in runs[0].figures if all(name in run.figures for run in runs)]
    for name in wanted:
        if name not in known:
            raise MeasureError(unknown("figure", name, known))
    return list(wanted) or sorted(known, key=lambda name: (name != "score", known.index(name)))


def thinned(places: np.ndarray, values: np.ndarray, most: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Neighbours averaged until few enough points are left; the last place stays the last."""
    if len(places) <= most:
        return places, values
    parts = np.array_split(np.arange(len(places)), most)
    return np.array([places[part[-1]] for part in parts]), np.array([values[part].mean(0) for part in parts])


def learning_chart(runs: Sequence[Learned], metric: str, height: int = 300) -> str:
    """Thin lines are seeds, the thick one is their mean."""
    curves = [(run.label, *thinned(*run.figures[metric])) for run in runs]
    values = np.concatenate([column.ravel() for _, _, column in curves])
    values = values[np.isfinite(values)]
    if not len(values):
        raise MeasureError(f"{metric} has no finite value in {', '.join(run.label for run in runs)}.")
    x_ticks = nice_ticks(0.0, max(float(places.max()) for _, places, _ in curves), 5)
    y_ticks = nice_ticks(min(0.0, float(values.min())), max(float(values.max()), 1e-9), 5)
    left, right, top, bottom = 10.0, 76.0, 24.0, height - 24.0

    def at(x: float, y: float) -> tuple[float, float]:
        across = (x - x_ticks[0]) / (x_ticks[-1] - x_ticks[0])
        up = (y - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])
        return left + (right - left) * across, bottom - (bottom - top) * up

    parts = [_line(left, at(0, tick)[1], right, at(0, tick)[1], "grid") for tick in y_ticks]
    parts += [_text(left - 1, at(0, tick)[1] + 4, f"{tick:g}", "soft end") for tick in y_ticks]
    parts += [_text(at(tick, 0)[0], bottom + 16, short_number(tick), "soft middle") for tick in x_ticks]
    parts += [_text(right, bottom + 32, f"{runs[0].unit} →", "soft end"), _text(0, 11, f"↑ {metric}", "soft")]
    taken: list[float] = []
    for number, (label, places, column) in enumerate(curves):
        kind = f"run{number % COLOURS}" + (" again" if number >= COLOURS else "")
        ways = [column[:, seed] for seed in range(column.shape[1])] if column.shape[1] > 1 else []
        for way in ways:
            parts += _pieces(places, way, at, f"seed {kind}")
        mean = column.mean(1)
        parts += _pieces(places, mean, at, f"mean {kind}")
        parts.append(_name(label, at(0, _last(mean))[1] + 4, right, taken, kind))
    return _chart(parts, max(bottom + 38, *(place + 6 for place in taken)), f"{metric} over {runs[0].unit}")


def _pieces(places: np.ndarray, values: np.ndarray, at: Any, kind: str) -> list[str]:
    """Straight pieces, because a polyline cannot be placed in per cent of the width."""
    points = [at(x, y) for x, y in zip(places.tolist(), values.tolist(), strict=True) if math.isfinite(y)]
    return [_line(x1, y1, x2, y2, f"learn {kind}") for (x1, y1), (x2, y2) in pairwise(points)]


def _last(values: np.ndarray) -> float:
    finite = values[np.isfinite(values)]
    return float(finite[-1]) if len(finite) else 0.0


def _name(label: str, place: float, right: float, taken: list[float], kind: str) -> str:
    """Names that would lie on each other move down."""
    while any(abs(place - other) < 14 for other in taken):
        place += 2
    taken.append(place)
    return _text(right + 2, place, shortened(label, 18), f"strong {kind}", label)


def short_number(value: float) -> str:
    """2M for 2,000,000."""
    for size, sign in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{sign}"
    return f"{value:g}"
