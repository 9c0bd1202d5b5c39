"""The page of several evaluations: agents and ways to train side by side, with intervals over seeds."""

from __future__ import annotations

import os
from html import escape
from pathlib import Path

from coplay.files import csv_text, write_whole
from coplay.measure.evaluated.several import Evaluations, MethodScores, read_several
from coplay.report.charts import Mark, standalone
from coplay.report.html import counted, document, heat_table, interval, listing, paragraph, percent, section, table
from coplay.report.sections.made import made_command, made_rows
from coplay.report.sections.score_strip import score_strip

LEGEND = (
    "Dot: mean score with partners; band: 95\u00a0% interval over seeds, partners and deals; alone: with own copies."
)


def write_several(found: Evaluations | str | Path) -> Evaluations:
    """summary.json, agents.csv, figures/ and report.html in the folder of all; each agent has a page of its own."""
    if not isinstance(found, Evaluations):
        found = read_several(found)
    rows = found.rows()
    found.to_json(found.folder / "summary.json")
    write_whole(found.folder / "agents.csv", csv_text([list(rows[0]), *(list(row.values()) for row in rows)]))
    write_whole(found.folder / "figures/agents.svg", standalone(_strip(found)))
    write_whole(found.folder / "report.html", several_page(found))
    return found


def several_page(found: Evaluations) -> str:
    """The page as text."""
    run = found.evaluations[0].run
    met = f"{counted(len(found.partners), 'partner')} · {counted(run.games, 'game')} per team"
    what = f"{run.game_words}, {run.players} players · {met}"
    body = [
        '<header><p class="soft small">The same partners, the same deals</p>'
        f"<h1>{escape(', '.join(one.method for one in found.methods))}</h1>"
        f"{paragraph(what, 'soft')}</header>",
        section("How good, how sure", _strip(found), paragraph(LEGEND, "soft small"), _table(found)),
        section("Seed by seed", _seeds(found)),
        section("Partner by partner", _partners(found)),
        section("How it was measured", _method(found)),
    ]
    return document(f"Evaluations: {run.game_words}", "\n".join(body))


def _strip(found: Evaluations) -> str:
    marks = [Mark.of(one.method, one.mean, f"{one.self_play.value:.2f}", "own") for one in found.methods]
    return score_strip(marks, found.evaluations[0].run.max_score, "alone")


def _table(found: Evaluations) -> str:
    prox = any(one.br_prox for one in found.methods)
    head = ["agent", "seeds", "mean", "95\u00a0%", "alone", "95\u00a0%", "at zero", *(["BR-Prox"] if prox else [])]
    return table(head, [[*_row(one), *([_prox(one)] if prox else [])] for one in found.methods])


def _row(one: MethodScores) -> list[str]:
    alone, seeds = one.self_play, str(len(one.agents))
    return [
        one.method,
        seeds,
        f"{one.mean.value:.2f}",
        interval(one.mean),
        f"{alone.value:.2f}",
        interval(alone),
        percent(one.zero),
    ]


def _prox(one: MethodScores) -> str:
    return "–" if one.br_prox is None else one.br_prox.short(".3f")


def _seeds(found: Evaluations) -> str:
    """Every agent with the partners all met, and the way to its own page."""
    means = {agent: mean for one in found.methods for agent, mean in zip(one.agents, one.means, strict=True)}
    items = []
    for one in found.evaluations:
        place = Path(os.path.relpath(one.folder, found.folder)) / "report.html"
        link = f'<a href="{escape(place.as_posix())}">{escape(one.run.agent)}</a>'
        words = f"{means[one.run.agent]:.2f} with partners, {one.self_play.mean.value:.2f} alone"
        items.append(f"<dt>{link}</dt><dd>{words}</dd>")
    return f'<dl class="list">{"".join(items)}</dl>'


def _partners(found: Evaluations) -> str:
    lines = [(name, [one.partners[name].value for one in found.methods]) for name in found.partners]
    left = ""
    if found.left_out:
        left = paragraph(f"Left out, for not every agent met them: {', '.join(found.left_out)}.", "soft small")
    return heat_table("partner", [one.method for one in found.methods], lines, ".2f") + left


def _method(found: Evaluations) -> str:
    run = found.evaluations[0].run
    rows = [
        ["games per team", f"{run.games:,}"],
        ["seed", f"{run.seed}: every team met the same deals"],
        *made_rows(run),
    ]
    return made_command(run) + listing(rows) + paragraph(found.method, "soft small")
