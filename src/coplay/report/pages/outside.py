"""The page of a measure that comes from elsewhere: its own sections, then every team and how it was measured."""

from __future__ import annotations

import inspect
import json
from html import escape

from coplay.files import write_whole
from coplay.measure.study.outside import Answer
from coplay.measure.study.result import to_json
from coplay.report.html import document, listing, paragraph, section, table
from coplay.report.sections.made import made_command, made_rows


def write_answer(answer: Answer) -> None:
    """summary.json and report.html."""
    write_whole(answer.folder / "summary.json", json.dumps(to_json(answer.summary), indent=1) + "\n")
    write_whole(answer.folder / "report.html", _page(answer))


def _page(answer: Answer) -> str:
    run = answer.run
    says = (inspect.getdoc(answer.measure) or "").partition("\n")[0]
    sections = getattr(answer.measure, "sections", None)
    own = [section(title, html) for title, html in sections(answer.summary)] if sections else []
    if not own:
        own = [section("What it found", f"<pre>{escape(str(answer.summary))}</pre>")]
    facts = [["games per team", f"{run.games:,}"], ["seed", str(run.seed)], *made_rows(run)]
    about = f"{run.game_words}, {run.players} players"
    head = (
        f'<header><p class="soft small">{escape(says)}</p><h1>{escape(run.measure)}</h1>'
        f"{paragraph(about, 'soft')}</header>"
    )
    body = [
        head,
        *own,
        section("Every team", _teams(answer)),
        section("How it was measured", made_command(run), listing(facts)),
    ]
    return document(run.measure, "\n".join(body))


def _teams(answer: Answer) -> str:
    rows = []
    for number, team in enumerate(answer.run.teams):
        played = answer.games[number,]
        mean = sum(row.score for row in played) / len(played)
        rows.append([", ".join(team), f"{mean:.2f}", str(sum(bool(row.forfeit) for row in played))])
    return table(["team, in seat order", "mean", "forfeited"], rows)
