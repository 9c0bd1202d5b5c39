"""Action prediction as a table, a picture and one page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from coplay.files import csv_text, write_whole
from coplay.measure.predict import Prediction, Predictions
from coplay.report.charts import Mark, standalone, strip
from coplay.report.html import counted, document, interval, listing, paragraph, section, table
from coplay.report.sections.made import made_command, made_rows

LEGEND = (
    "Dot: cross-entropy per decision in nats, less is better; band: 95 % interval over games; right: how often the "
    "likeliest move was made. The last line is what expecting any legal action costs."
)


def print_predictions(found: Predictions) -> None:
    """A line per agent, below them what expecting anything is worth."""
    run, wide = found.run, max(len(one.agent) for one in found.agents)
    print(
        f"{counted(run.games, 'game')} of {run.players} players; "
        "nats per decision / per seat and turn, as AH2AC2 prints"
    )
    print(f"{'agent':<{wide}} {'cross-entropy':>28} {'unit of AH2AC2':>15} {'accuracy':>9} {'smoothing':>10}")
    for one in found.agents:
        result = one.result
        print(
            f"{one.agent:<{wide}} {result.cross_entropy.short('.3f'):>28} {result.paper_cross_entropy.value:>15.3f}"
            f" {_right(one):>9.3f} {one.smoothing:>10.3g}"
        )
    chance = found.agents[0].result
    print(
        f"{'(uniform)':<{wide}} {chance.uniform:>28.3f} {chance.paper_uniform:>15.3f} {chance.uniform_accuracy:>9.3f}"
    )


def write_predictions(found: Predictions, out: str | Path) -> None:
    """Into a run folder: predictions.csv, its picture, summary.json and report.html; else the table under its name."""
    rows = found.rows()
    out, chart = Path(out), prediction_figure(found.agents)
    file = out if out.suffix == ".csv" else out / "predictions.csv"
    write_whole(file, csv_text([list(rows[0]), *(list(row.values()) for row in rows)]))
    write_whole(file.with_suffix(".svg"), standalone(chart))
    if out.suffix != ".csv":
        found.to_json(out / "summary.json")
        write_whole(out / "report.html", prediction_page(found, chart))


def prediction_figure(agents: Sequence[Prediction]) -> str:
    """Cross-entropy per decision, the best first, and what expecting any legal action would cost."""
    ranked = sorted(agents, key=lambda one: one.result.cross_entropy.value)
    marks = [Mark.of(one.agent, one.result.cross_entropy, f"{_right(one):.0%}") for one in ranked]
    chance = agents[0].result
    marks.append(Mark("any legal action", chance.uniform, None, None, f"{chance.uniform_accuracy:.0%}", "own"))
    return strip(marks, 0, 0, ("nats", "right"), ".2f")


def prediction_page(found: Predictions, chart: str) -> str:
    """The page as text."""
    run = found.run
    rows = [
        [
            one.agent,
            f"{one.result.cross_entropy.value:.3f}",
            interval(one.result.cross_entropy, 3),
            f"{one.result.paper_cross_entropy.value:.3f}",
            f"{_right(one):.3f}",
            f"{one.smoothing:.3g}",
            f"{one.result.impossible:,}",
        ]
        for one in found.agents
    ]
    head = ["agent", "nats per decision", "95 %", "unit of AH2AC2", "right", "smoothing", "thought impossible"]
    facts = [["games", f"{run.games:,}"], ["recorded", f"{run.contents[:23]}…"], *made_rows(run)]
    body = [
        '<header><p class="soft small">How surely does an agent foresee what was played?</p><h1>Action prediction</h1>'
        f"{paragraph(f'{run.game_words}, {run.players} players', 'soft')}</header>",
        section("Cross-entropy", chart, paragraph(LEGEND, "soft small")),
        section("All numbers", table(head, rows)),
        section("How it was measured", made_command(run), listing(facts)),
    ]
    return document("Action prediction", "\n".join(body))


def _right(one: Prediction) -> float:
    return math.nan if one.result.accuracy is None else one.result.accuracy.value
