"""Cross-play as one page: who plays well with whom, and how it was measured."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from coplay.files import write_whole
from coplay.measure.crossplay import CrossPlay, CrossPlayRun
from coplay.measure.team_play import TeamPlay
from coplay.report.html import counted, document, forfeited, heat_table, listing, paragraph, section, table
from coplay.report.matrix import clustered, save_matrix, save_teams
from coplay.report.sections.made import made_command, made_rows

PAIRS = "Row: the agent in seat 0. Column: the agent in all other seats. Those who play well together stand together."
TEAMS = "Mean over all teams in which both sit; on the diagonal, copies alone."


def write_crossplay(found: CrossPlay | TeamPlay, out: str | Path) -> None:
    """Into a run folder: pairs.csv or teams.csv with its picture, summary.json and report.html; else the table alone,
    under the name that was given."""
    name, save = ("pairs", save_matrix) if isinstance(found, CrossPlay) else ("teams", save_teams)
    if is_table(out):
        save(found, out)  # pyright: ignore[reportArgumentType]
        return
    folder = Path(out)
    save(found, folder / f"{name}.csv")  # pyright: ignore[reportArgumentType]
    found.to_json(folder / "summary.json")
    write_whole(folder / "report.html", crossplay_page(found))


def is_table(out: str | Path | None) -> bool:
    """Is a table named, and not a run folder?"""
    return out is not None and Path(out).suffix == ".csv"


def crossplay_page(found: CrossPlay | TeamPlay) -> str:
    """The page as text."""
    run, pairs = found.run, isinstance(found, CrossPlay)
    assert run is not None
    lost = [paragraph(forfeited(len(found.forfeits)), "bad")] if found.forfeits else []
    values = found.mean if isinstance(found, CrossPlay) else found.together
    body = [
        '<header><p class="soft small">Who plays well with whom?</p>'
        f"<h1>Cross-play of {counted(len(run.agents), 'agent')}</h1>{paragraph(_what(run), 'soft')}</header>",
        section(
            "Mean scores",
            _matrix(run.agents, values),
            paragraph(PAIRS if pairs else TEAMS, "soft small"),
            *lost,
        ),
        section("Every pair" if pairs else "Every team", _rows(found)),
        section("How it was measured", _method(run)),
    ]
    return document(f"Cross-play: {run.game_words}", "\n".join(body))


def _matrix(names: Sequence[str], values: np.ndarray) -> str:
    order = clustered(values)
    rows = [(names[i], [None if np.isnan(values[i, j]) else float(values[i, j]) for j in order]) for i in order]
    return heat_table("", [names[j] for j in order], rows, ".2f")


def _rows(found: CrossPlay | TeamPlay) -> str:
    if isinstance(found, CrossPlay):
        head = ["seat 0", "other seats", "mean", "s.e.", "median", "at zero"]
        lines = [[one.first, one.others, *_cells(one)] for one in sorted(found.pairs, key=lambda one: -one.mean)]
        return table(head, lines)
    head = ["team", "seatings", "mean", "s.e.", "median", "at zero"]
    ranked = sorted(found.teams, key=lambda team: -team.mean)
    return table(head, [[found.name_of(team), str(len(team.seatings)), *_cells(team)] for team in ranked])


def _cells(one: object) -> list[str]:
    mean, error, median, zero = (getattr(one, name) for name in ("mean", "standard_error", "median", "zero"))
    return [f"{mean:.2f}", "–" if np.isnan(error) else f"{error:.3f}", f"{median:g}", f"{zero:.1%}"]


def _what(run: CrossPlayRun) -> str:
    return f"{run.game_words}, {run.players} players · {counted(run.games, 'game')} of every team on the same deals"


def _method(run: CrossPlayRun) -> str:
    rows = [["teams", f"{len(run.seats)}: {run.teams}"], ["games per team", f"{run.games:,}"]]
    rows += [["seed", f"{run.seed}"], *made_rows(run)]
    rows += [[spec, digest[:23] + "…"] for spec, digest in run.files.items()]
    return made_command(run) + listing(rows)
