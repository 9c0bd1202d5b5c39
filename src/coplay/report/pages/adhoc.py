"""What a person sees of ad-hoc trials: a table, a page, figures with the numbers behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from coplay.files import csv_text, write_whole
from coplay.measure.adhoc.result import AdHoc, TrialScores
from coplay.report.charts import Mark, standalone
from coplay.report.curve import Curve, curve
from coplay.report.html import (
    counted,
    document,
    forfeited,
    interval,
    listing,
    paragraph,
    percent,
    section,
    table,
    with_interval,
)
from coplay.report.sections.made import made_command, made_rows
from coplay.report.sections.score_strip import score_strip

ALL = "all teams"


def write_adhoc(found: AdHoc) -> None:
    """Makes summary.json, figures/ and report.html in the folder of the trials."""
    found.to_json(found.folder / "summary.json")
    figures = {"teams": (teams_figure(found), _rows(found))}
    if len(found.run.observe) > 1:
        figures["curve"] = (curve_figure(found), _curve_rows(found))
    for name, (chart, rows) in figures.items():
        write_whole(found.folder / f"figures/{name}.svg", standalone(chart))
        write_whole(found.folder / f"figures/{name}.csv", csv_text(rows))
    write_whole(found.folder / "report.html", _page(found, {name: chart for name, (chart, _) in figures.items()}))


def print_adhoc(found: AdHoc) -> None:
    """A line per team and number of observed games; below them all teams together."""
    run = found.run
    wide = max(len(name) for name in (*run.partners, "hold-out team"))
    print(
        f"{run.agent}: {run.game}, {run.players} players, {run.trials:,} trials per team, "
        f"{counted(run.sets, 'set')} of games\n"
    )
    print(f"{'hold-out team':<{wide}} {'given':>5} {'mean':>7} {'95 %':>17} {'sd':>6} {'zero':>7} {'by itself':>14}")
    for name, one in _lines(found):
        print(
            f"{name:<{wide}} {one.observed:>5} {one.mean.value:>7.2f} {interval(one.mean):>17}"
            f" {one.sd:>6.2f} {one.zero:>7.1%} {one.team_mean.value:>7.2f} ± {one.team_sd:.2f}"
        )
    forfeits = sum(one.forfeits for one in found.teams)
    if forfeits:
        print(forfeited(forfeits, "trial"))


def teams_figure(found: AdHoc) -> str:
    """The agent in each team after the most games, beside the team by itself."""
    most = found.run.observe[-1]
    teams = sorted((one for one in found.teams if one.observed == most), key=lambda one: -one.mean.value)
    marks = [_mark(ALL, found.overall[-1], "own"), *(_mark(one.partner, one, "") for one in teams)]
    return score_strip(marks, found.run.max_score, "alone")


def _mark(label: str, one: TrialScores, kind: str) -> Mark:
    kind = kind or ("bad" if one.zero >= 0.5 else "")
    return Mark.of(label, one.mean, f"{one.team_mean.value:.1f}", kind)


def curve_figure(found: AdHoc) -> str:
    """Score over the number of observed games."""
    means = [one.mean for one in found.overall]
    lines = [
        Curve(partner, [one.mean.value for one in found.teams if one.partner == partner])
        for partner in found.run.partners
    ]
    lows, highs = [mean.low for mean in means], [mean.high for mean in means]
    lines.append(Curve(ALL, [mean.value for mean in means], lows, highs, "own"))
    height = max(300, 40 + 15 * len(lines))
    return curve(lines, found.run.observe, ("games of the team that it was given", "mean score"), height)


def _lines(found: AdHoc) -> list[tuple[str, TrialScores]]:
    """Every team, then all of them."""
    return [*((one.partner, one) for one in found.teams), *((ALL, one) for one in found.overall)]


def _rows(found: AdHoc) -> list[Sequence[Any]]:
    head = ["partner", "observed", "trials", "mean", "low", "high", "sd", "zero", "team_mean", "team_sd"]
    rows: list[Sequence[Any]] = [[*head, "difference", "difference_low", "difference_high"]]
    for name, one in _lines(found):
        first = [name, one.observed, one.n, *one.mean[:3], one.sd, one.zero]
        rows.append([*first, one.team_mean.value, one.team_sd, *one.difference[:3]])
    return rows


def _curve_rows(found: AdHoc) -> list[Sequence[Any]]:
    rows = [[name, one.observed, *one.mean[:3]] for name, one in _lines(found)]
    return [["partner", "observed", "mean", "low", "high"], *rows]


def _page(found: AdHoc, charts: Mapping[str, str]) -> str:
    run, most = found.run, found.overall[-1]
    of = "" if run.max_score is None else f" <small>of {run.max_score:g}</small>"
    head = (
        '<header><p class="soft small">How well does it fit into a team it has never met?</p>'
        f"<h1>{escape(run.agent)}</h1>"
        + paragraph(f"{run.game_words}, {run.players} players · {counted(len(run.partners), 'hold-out team')}", "soft")
        + "</header>"
    )
    words = (
        f"mean score in place of one member of a team, having been given {most.observed} of its games; "
        f"{with_interval(most.mean)}. The teams by themselves: {most.team_mean.value:.2f}."
    )
    legend = (
        "Dot: mean score; band: 95 % interval; alone: what the team scores by itself. Red: half of the games or more "
        "end at zero."
    )
    parts = [
        head,
        section("In a random seat", f'<div class="big">{most.mean.value:.2f}{of}</div>', paragraph(words)),
        section("With which team", charts["teams"], paragraph(legend, "soft small")),
    ]
    if "curve" in charts:
        legend = "Each line is a team; bold: all teams, with the 95 % interval."
        parts.append(section("The more games it was given", charts["curve"], paragraph(legend, "soft small")))
    parts.append(section("All numbers", _table(found)))
    facts = [
        ["trials per team", f"{run.trials:,}"],
        ["sets of games", f"{run.sets}"],
        ["seed", str(run.seed)],
        *made_rows(run),
    ]
    parts.append(
        section("How it was measured", made_command(run), listing(facts), paragraph(found.method, "soft small"))
    )
    return document(f"{run.agent}: ad-hoc teams", "\n".join(parts))


def _table(found: AdHoc) -> str:
    head = ["team", "given", "mean", "95 %", "sd", "at zero", "by itself", "difference"]
    rows = []
    for name, one in _lines(found):
        cells = [name, str(one.observed), f"{one.mean.value:.2f}", interval(one.mean), f"{one.sd:.2f}"]
        rows.append([*cells, percent(one.zero, 1), f"{one.team_mean.value:.2f}", f"{one.difference.value:+.2f}"])
    return table(head, rows)
