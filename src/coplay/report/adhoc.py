"""What a person sees of ad-hoc trials: a table, a page, figures with the numbers behind them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from typing import Any

from coplay.data.whole_file import write_whole
from coplay.measure.adhoc import AdHocFolder
from coplay.measure.adhoc_summary import summarise_adhoc
from coplay.report.charts import Mark, standalone, strip
from coplay.report.csv_text import csv_text
from coplay.report.curve import Line, curve
from coplay.report.html import document, interval, listing, paragraph, percent, section, table

ALL = "all teams"


def write_adhoc(folder: AdHocFolder) -> dict[str, Any]:
    """Makes summary.json, figures/ and report.html from the trials in the folder; returns the summary."""
    summary = summarise_adhoc(folder)
    write_whole(folder / "summary.json", json.dumps(summary, indent=1) + "\n")
    figures = {"teams": (teams_figure(summary), _rows(summary))}
    if len(summary["run"]["observe"]) > 1:
        figures["curve"] = (curve_figure(summary), _curve_rows(summary))
    for name, (chart, rows) in figures.items():
        write_whole(folder / f"figures/{name}.svg", standalone(chart))
        write_whole(folder / f"figures/{name}.csv", csv_text(rows))
    write_whole(folder / "report.html", _page(summary, {name: chart for name, (chart, _) in figures.items()}))
    return summary


def print_adhoc(summary: dict[str, Any]) -> None:
    """A line per team and number of observed games; below them all teams together."""
    run = summary["run"]
    wide = max(len(name) for name in (*run["partners"], "hold-out team"))
    print(
        f"{run['agent']}: {run['game']}, {run['players']} players, {run['trials']:,} trials per team, "
        f"{run['sets']} sets of games\n"
    )
    print(f"{'hold-out team':<{wide}} {'given':>5} {'mean':>7} {'95 %':>17} {'sd':>6} {'zero':>7} {'by itself':>14}")
    for name, one in [
        *((one["partner"], one) for one in summary["teams"]),
        *((ALL, one) for one in summary["overall"]),
    ]:
        mean = one["mean"]
        print(
            f"{name:<{wide}} {one['observed']:>5} {mean['value']:>7.2f} {interval(mean['low'], mean['high']):>17}"
            f" {one['sd'] or 0:>6.2f} {one['zero']:>7.1%} {one['team_mean']['value']:>7.2f} ± {one['team_sd'] or 0:.2f}"
        )
    forfeits = sum(one["forfeits"] for one in summary["teams"])
    if forfeits:
        print(f"{forfeits} trials were forfeited and count as 0; games.csv says why.")


def teams_figure(summary: dict[str, Any]) -> str:
    """The agent in each team after the most games, beside the team by itself."""
    most = summary["run"]["observe"][-1]
    teams = sorted((one for one in summary["teams"] if one["observed"] == most), key=lambda one: -one["mean"]["value"])
    marks = [_mark(ALL, summary["overall"][-1], "own"), *(_mark(one["partner"], one, "") for one in teams)]
    top = summary["run"]["max_score"] or max(
        max(one["mean"]["high"] or 0, one["mean"]["value"], one["team_mean"]["value"]) for one in teams
    )
    return strip(marks, 0, max(top, 1), ("mean", "alone"), ".1f" if top < 100 else ".0f")


def _mark(label: str, one: dict[str, Any], kind: str) -> Mark:
    mean = one["mean"]
    kind = kind or ("bad" if one["zero"] >= 0.5 else "")
    return Mark(label, mean["value"], mean["low"], mean["high"], f"{one['team_mean']['value']:.1f}", kind)


def curve_figure(summary: dict[str, Any]) -> str:
    """Score over the number of observed games."""
    amounts = summary["run"]["observe"]
    means = [one["mean"] for one in summary["overall"]]
    lines = [
        Line(partner, [one["mean"]["value"] for one in summary["teams"] if one["partner"] == partner])
        for partner in summary["run"]["partners"]
    ]
    lows, highs = [mean["low"] for mean in means], [mean["high"] for mean in means]
    lines.append(Line(ALL, [mean["value"] for mean in means], lows, highs, "own"))
    height = max(300, 40 + 15 * len(lines))
    return curve(lines, amounts, ("games of the team that it was given", "mean score"), height)


def _lines(summary: dict[str, Any]) -> list[dict[str, Any]]:
    """Every team, then all of them."""
    return [*summary["teams"], *({"partner": ALL, **one} for one in summary["overall"])]


def _bounds(estimate: dict[str, Any]) -> list[float | None]:
    return [estimate["value"], estimate["low"], estimate["high"]]


def _rows(summary: dict[str, Any]) -> list[Sequence[Any]]:
    head = ["partner", "observed", "trials", "mean", "low", "high", "sd", "zero", "team_mean", "team_sd"]
    rows: list[Sequence[Any]] = [[*head, "difference", "difference_low", "difference_high"]]
    for one in _lines(summary):
        names = [one["partner"], one["observed"], one["n"], *_bounds(one["mean"]), one["sd"], one["zero"]]
        rows.append([*names, one["team_mean"]["value"], one["team_sd"], *_bounds(one["difference"])])
    return rows


def _curve_rows(summary: dict[str, Any]) -> list[Sequence[Any]]:
    rows = [[one["partner"], one["observed"], *_bounds(one["mean"])] for one in _lines(summary)]
    return [["partner", "observed", "mean", "low", "high"], *rows]


def _page(summary: dict[str, Any], charts: dict[str, str]) -> str:
    run, most = summary["run"], summary["overall"][-1]
    mean, best = most["mean"], run["max_score"]
    of = "" if best is None else f" <small>of {best:g}</small>"
    head = (
        '<header><p class="soft small">How well does it fit into a team it has never met?</p>'
        f"<h1>{escape(run['agent'])}</h1>"
        + paragraph(f"{run['game']}, {run['players']} players · {len(run['partners'])} hold-out teams", "soft")
        + "</header>"
    )
    words = (
        f"mean score in place of one member of a team, having been given {most['observed']} of its games; 95\u00a0% "
        f"interval {interval(mean['low'], mean['high'])}. The teams by themselves: {most['team_mean']['value']:.2f}."
    )
    legend = (
        "Dot: mean score; band: 95 % interval; alone: what the team scores by itself. Red: half of the games or more "
        "end at zero."
    )
    parts = [
        head,
        section("In a random seat", f'<div class="big">{mean["value"]:.2f}{of}</div>', paragraph(words)),
        section("With which team", charts["teams"], paragraph(legend, "soft small")),
    ]
    if "curve" in charts:
        legend = "Each line is a team; bold: all teams, with the 95 % interval."
        parts.append(section("The more games it was given", charts["curve"], paragraph(legend, "soft small")))
    parts.append(section("All numbers", _table(summary)))
    facts = [
        ["trials per team", f"{run['trials']:,}"],
        ["sets of games", f"{run['sets']}"],
        ["seed", str(run["seed"])],
        ["game", f"{run['game']} version {run['game_version']}"],
        ["coplay", run["coplay"]],
    ]
    parts.append(section("How it was measured", listing(facts), paragraph(summary["method"], "soft small")))
    return document(f"{run['agent']}: ad-hoc teams", "\n".join(parts))


def _table(summary: dict[str, Any]) -> str:
    head = ["team", "given", "mean", "95 %", "sd", "at zero", "by itself", "difference"]
    rows = []
    for one in _lines(summary):
        mean, apart = one["mean"], one["difference"]
        cells = [one["partner"], str(one["observed"]), f"{mean['value']:.2f}", interval(mean["low"], mean["high"])]
        cells += [f"{one['sd'] or 0:.2f}", percent(one["zero"], 1), f"{one['team_mean']['value']:.2f}"]
        rows.append([*cells, f"{apart['value']:+.2f}"])
    return table(head, rows)
