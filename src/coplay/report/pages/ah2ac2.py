"""What a person sees of the AH2AC2 protocol: a table, a page, a figure with its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

from coplay.files import csv_text, write_whole
from coplay.measure.ah2ac2 import CANDIDATE, ProxyPlay, ProxyScores
from coplay.report.charts import Mark, standalone
from coplay.report.html import document, forfeited, interval, listing, paragraph, percent, section, table, with_interval
from coplay.report.sections.made import made_command, made_rows
from coplay.report.sections.score_strip import score_strip

ALL = "everything"


def write_ah2ac2(found: ProxyPlay) -> None:
    """Makes summary.json, figures/ and report.html in the folder of the games."""
    found.to_json(found.folder / "summary.json")
    chart = figure(found)
    write_whole(found.folder / "figures/teams.svg", standalone(chart))
    write_whole(found.folder / "figures/teams.csv", csv_text(_rows(found)))
    write_whole(found.folder / "report.html", _page(found, chart))


def print_ah2ac2(found: ProxyPlay) -> None:
    """A line per mixed team, below them everything."""
    run = found.run
    lines = _lines(found)
    wide = max(len(name) for name, _ in lines)
    for letter, name in found.letters.items():
        print(f"{letter}: {name}")
    print(f"\n{run.game}, {run.players} players, {found.configurations} configurations, {run.games} games each")
    print(f"{'team':<{wide}} {'games':>6} {'mean':>6} {'95 %':>16} {'median':>7} {'zero':>7}")
    for name, one in lines:
        print(
            f"{name:<{wide}} {one.n:>6} {one.mean.value:>6.2f} {interval(one.mean):>16} "
            f"{one.median.value:>7g} {one.zero.value:>7.1%}"
        )
    if found.overall.forfeits:
        print(forfeited(found.overall.forfeits))


def _lines(found: ProxyPlay) -> list[tuple[str, ProxyScores]]:
    """`ABC` as A + B + C; the seats are averaged over."""
    return [*((" + ".join(one.members), one) for one in found.teams), (ALL, found.overall)]


def figure(found: ProxyPlay) -> str:
    marks = []
    for name, one in sorted(_lines(found), key=lambda line: -line[1].mean.value):
        kind = "own" if name == ALL else "bad" if one.zero.value >= 0.5 else ""
        marks.append(Mark.of(name, one.mean, percent(one.zero.value), kind))
    return score_strip(marks, found.run.max_score, "at zero")


def _rows(found: ProxyPlay) -> list[Sequence[Any]]:
    head = ["team", "games", "mean", "low", "high", "median", "median_low", "median_high", "zero", "zero_low"]
    rows: list[Sequence[Any]] = [[*head, "zero_high", "sd"]]
    return rows + [[name, one.n, *one.mean[:3], *one.median[:3], *one.zero[:3], one.sd] for name, one in _lines(found)]


def _page(found: ProxyPlay, chart: str) -> str:
    run, overall = found.run, found.overall
    best = "" if run.max_score is None else f" <small>of {run.max_score:g}</small>"
    head = (
        '<header><p class="soft small">How well does it play with proxies of people?</p>'
        f"<h1>{escape(run.agent)}</h1>"
        + paragraph(f"{run.game_words}, {run.players} players · protocol of AH2AC2", "soft")
        + "</header>"
    )
    words = (
        f"mean of {overall.n:,} games in {found.configurations} configurations, {with_interval(overall.mean)}; "
        f"median {overall.median.value:g} ({interval(overall.median, 0)}); "
        f"{percent(overall.zero.value, 1)} end at zero."
    )
    legend = "Averaged over who sits where. Band: 95 % interval. Red: half of the games or more end at zero."
    letters = [
        [letter, name + (": the candidate" if letter == CANDIDATE else "")] for letter, name in found.letters.items()
    ]
    facts = [["games per configuration", str(run.games)], ["seed", str(run.seed)], *made_rows(run)]
    parts = [
        head,
        section("With proxies", f'<div class="big">{overall.mean.value:.2f}{best}</div>', paragraph(words)),
        section("In which team", chart, paragraph(legend, "soft small"), listing(letters)),
        section("Seat by seat", table(["seats", "games", "mean", "median", "at zero"], _seats(found))),
        section("How it was measured", made_command(run), listing(facts), paragraph(found.method, "soft small")),
    ]
    return document(f"{run.agent}: AH2AC2 protocol", "\n".join(parts))


def _seats(found: ProxyPlay) -> list[list[str]]:
    return [
        [one.seating, str(one.n), f"{one.mean.value:.2f}", f"{one.median.value:g}", percent(one.zero.value)]
        for one in found.seatings
    ]
