"""What a person sees of the AH2AC2 protocol: a table, a page, a figure with its numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from coplay.data.whole_file import write_whole
from coplay.measure.ah2ac2 import CANDIDATE, ProxyFolder, summarise_ah2ac2
from coplay.report.charts import Mark, standalone, strip
from coplay.report.csv_text import csv_text
from coplay.report.html import document, interval, listing, paragraph, percent, section, table

ALL = "everything"


def write_ah2ac2(folder: ProxyFolder) -> dict[str, Any]:
    """Makes summary.json, figures/ and report.html from the games in the folder; returns the summary."""
    summary = summarise_ah2ac2(folder)
    write_whole(folder / "summary.json", json.dumps(summary, indent=1) + "\n")
    chart = figure(summary)
    write_whole(folder / "figures/company.svg", standalone(chart))
    write_whole(folder / "figures/company.csv", csv_text(_rows(summary)))
    write_whole(folder / "report.html", _page(summary, chart))
    return summary


def print_ah2ac2(summary: dict[str, Any]) -> None:
    """A line per company, below them everything."""
    run = summary["run"]
    lines = _lines(summary)
    wide = max(len(name) for name, _ in lines)
    for letter, name in summary["letters"].items():
        print(f"{letter}: {name}")
    count = summary["configurations"]
    print(f"\n{run['game']}, {run['players']} players, {count} configurations, {run['games']} games each")
    print(f"{'team':<{wide}} {'games':>6} {'mean':>6} {'95 %':>16} {'median':>7} {'zero':>7}")
    for name, one in lines:
        mean = one["mean"]
        print(
            f"{name:<{wide}} {one['n']:>6} {mean['value']:>6.2f} {interval(mean['low'], mean['high']):>16} "
            f"{one['median']['value']:>7g} {one['zero']['value']:>7.1%}"
        )
    if summary["overall"]["forfeits"]:
        print(f"{summary['overall']['forfeits']} games were forfeited and count as 0; games.csv says why.")


def _lines(summary: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    company = [(_company(one["members"]), one) for one in summary["company"]]
    return [*company, (ALL, summary["overall"])]


def _company(members: str) -> str:
    """`ABC` as A + B + C; the seats are averaged over."""
    return " + ".join(members)


def figure(summary: dict[str, Any]) -> str:
    marks = []
    for name, one in sorted(_lines(summary), key=lambda line: -line[1]["mean"]["value"]):
        kind = "own" if name == ALL else "bad" if one["zero"]["value"] >= 0.5 else ""
        mean = one["mean"]
        marks.append(Mark(name, mean["value"], mean["low"], mean["high"], percent(one["zero"]["value"]), kind))
    top = summary["run"]["max_score"] or max(mark.high or mark.value for mark in marks)
    return strip(marks, 0, max(top, 1), ("mean", "at zero"))


def _rows(summary: dict[str, Any]) -> list[Sequence[Any]]:
    head = ["team", "games", "mean", "low", "high", "median", "median_low", "median_high", "zero", "zero_low"]
    rows: list[Sequence[Any]] = [[*head, "zero_high", "sd"]]
    for name, one in _lines(summary):
        found = [one[key][part] for key in ("mean", "median", "zero") for part in ("value", "low", "high")]
        rows.append([name, one["n"], *found, one["sd"]])
    return rows


def _page(summary: dict[str, Any], chart: str) -> str:
    run, overall = summary["run"], summary["overall"]
    mean, median, zero = overall["mean"], overall["median"], overall["zero"]
    best = "" if run["max_score"] is None else f" <small>of {run['max_score']:g}</small>"
    head = (
        '<header><p class="soft small">How well does it play with proxies of people?</p>'
        f"<h1>{escape(run['agent'])}</h1>"
        + paragraph(f"{run['game']}, {run['players']} players · protocol of AH2AC2", "soft")
        + "</header>"
    )
    words = (
        f"mean of {overall['n']:,} games in {summary['configurations']} configurations, 95\u00a0% interval "
        f"{interval(mean['low'], mean['high'])}; median {median['value']:g} "
        f"({interval(median['low'], median['high'], 0)}); {percent(zero['value'], 1)} end at zero."
    )
    legend = "Averaged over who sits where. Band: 95 % interval. Red: half of the games or more end at zero."
    rows = [[one["seating"], *_cells(one)] for one in summary["seatings"]]
    letters = [
        [letter, name + (": the candidate" if letter == CANDIDATE else "")]
        for letter, name in summary["letters"].items()
    ]
    facts = [
        ["games per configuration", str(run["games"])],
        ["seed", str(run["seed"])],
        ["game", f"{run['game']} version {run['game_version']}"],
        ["coplay", run["coplay"]],
    ]
    parts = [
        head,
        section("With proxies", f'<div class="big">{mean["value"]:.2f}{best}</div>', paragraph(words)),
        section("In which company", chart, paragraph(legend, "soft small"), listing(letters)),
        section("Seat by seat", table(["seats", "games", "mean", "median", "at zero"], rows)),
        section("How it was measured", listing(facts), paragraph(summary["method"], "soft small")),
    ]
    return document(f"{run['agent']}: AH2AC2 protocol", "\n".join(parts))


def _cells(one: dict[str, Any]) -> list[str]:
    zero = percent(one["zero"]["value"])
    return [str(one["n"]), f"{one['mean']['value']:.2f}", f"{one['median']['value']:g}", zero]
