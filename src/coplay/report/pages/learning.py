"""The page of learning curves: every figure of the log, all seeds, several runs side by side."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from coplay.files import csv_text, write_whole
from coplay.measure import MeasureError
from coplay.report.charts import standalone
from coplay.report.html import counted, document, listing, paragraph, section, table
from coplay.report.learning import Learned, learning_chart, read_learned, shown_metrics
from coplay.train.words import METRICS

LEGEND = "Thin lines: seeds; thick line: their mean."


def write_curves(folders: Sequence[str], out: str | Path, metrics: Sequence[str] = ()) -> list[Learned]:
    """report.html and figures/NAME.svg, each with its numbers beside it as NAME.csv."""
    runs = [read_learned(folder) for folder in folders]
    units = {run.unit for run in runs}
    if len(units) > 1:
        raise MeasureError(f"{', '.join(folders)} count in {' and '.join(sorted(units))}; draw those that count alike.")
    names, place = shown_metrics(runs, metrics), Path(out)
    charts = {name: learning_chart(runs, name) for name in names}
    for name, chart in charts.items():
        write_whole(place / f"figures/{name}.svg", standalone(chart))
        write_whole(place / f"figures/{name}.csv", csv_text(_rows(runs, name)))
    write_whole(place / "report.html", _page(runs, charts))
    return runs


def ends(runs: Sequence[Learned], metrics: Sequence[str]) -> list[list[str]]:
    """Per run and figure where the curve ends: the mean over seeds and every seed."""
    rows = []
    for run in runs:
        for name in metrics:
            places, values = run.figures[name]
            each = " ".join(f"{value:.4g}" for value in values[-1])
            rows.append([run.label, f"{places[-1]:,.0f}", name, f"{np.mean(values[-1]):.4g}", each])
    return rows


def _rows(runs: Sequence[Learned], metric: str) -> list[list[Any]]:
    rows: list[list[Any]] = [["run", runs[0].unit, "seed", metric]]
    for run in runs:
        places, values = run.figures[metric]
        for place, line in zip(places.tolist(), values.tolist(), strict=True):
            rows += [[run.label, place, seed, value] for seed, value in enumerate(line)]
    return rows


def _page(runs: Sequence[Learned], charts: dict[str, str]) -> str:
    labels = [run.label for run in runs]
    seeds = counted(max(values.shape[1] for run in runs for _, values in run.figures.values()), "seed")
    head = (
        '<header><p class="soft small">How it was learned</p>'
        f"<h1>{escape(', '.join(labels))}</h1>{paragraph(f'{seeds}. {LEGEND}', 'soft')}</header>"
    )
    body = [section(name, paragraph(_meaning(name), "soft small"), chart) for name, chart in charts.items()]
    where = table(["run", runs[0].unit, "figure", "mean", "every seed"], ends(runs, list(charts)))
    return document("Learning curves", "\n".join([head, *body, section("Where they end", where), *map(_made, labels)]))


def _meaning(name: str) -> str:
    says = [words for names, words in METRICS.items() if name in names.split(", ")]
    return says[0] if says else ""


def _made(folder: str) -> str:
    """How a run was made, as its run.json tells; nothing where it lacks."""
    file = Path(folder) / "run.json"
    if not file.is_file():
        return ""
    told = json.loads(file.read_text(encoding="utf-8"))
    made = told.get("made", {})
    names = ("date", "coplay", "commit", "python", "jax", "device")
    rows = [[name, str(made[name])] for name in names if made.get(name)]
    return section(f"How {folder} was made", f"<pre>{escape(_wrapped(told.get('command', '')))}</pre>", listing(rows))


def _wrapped(command: str) -> str:
    """A setting per line, as a shell takes it."""
    words = shlex.split(command)
    lines: list[str] = []
    for place, word in enumerate(words):
        if not lines or (word.startswith("--") and place):
            lines.append(shlex.quote(word))
        else:
            lines[-1] += " " + shlex.quote(word)
    return " \\\n  ".join(lines)
