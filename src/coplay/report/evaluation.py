"""The page of an evaluation: how good, with whom, how sure; then what went wrong, and how it was measured."""

from __future__ import annotations

import json
import shlex
from html import escape
from typing import Any

from coplay.data.whole_file import write_whole
from coplay.measure.evaluated_behaviour import behaved
from coplay.measure.evaluated_tests import results_of_tests
from coplay.measure.run_folder import GameRow, RunFolder
from coplay.measure.run_settings import check_version
from coplay.measure.summary import finished, summarise
from coplay.report.behaviour_section import behaviour_rows, behaviour_section
from coplay.report.charts import Bin, Mark, histogram, score_bins, standalone, strip
from coplay.report.csv_text import csv_text
from coplay.report.failed_tests import failed_section, passed_share
from coplay.report.html import document, interval, listing, paragraph, percent, section, table
from coplay.report.pool_comparison import comparison_section
from coplay.report.proximity import proximity_section, write_proximity
from coplay.report.worst_game import worst_game, worst_game_html

Teams = dict[tuple[str, str], list[GameRow]]
FEW = 10  # partners: below this an interval over partners is too short


def write_report(folder: RunFolder) -> dict[str, Any]:
    """Makes summary.json, figures/ and report.html from the games in the folder; returns the summary."""
    check_version(folder)
    summary = summarise(folder)
    _, teams = finished(folder)
    write_whole(folder / "summary.json", json.dumps(summary, indent=1) + "\n")
    bins = _bins(summary, teams)
    partners = _strip(summary)
    for name, chart, rows in (
        ("partners", partners, _partner_rows(summary)),
        ("scores", histogram(bins), _bin_rows(bins)),
    ):
        write_whole(folder / f"figures/{name}.svg", standalone(chart))
        write_whole(folder / f"figures/{name}.csv", csv_text(rows))
    write_proximity(folder, summary)
    style = behaved(folder, summary["run"])
    if style is not None:
        write_whole(folder / "figures/behaviour.csv", csv_text(behaviour_rows(style)))
    page = evaluation_page(folder, summary, teams, partners, histogram(bins), behaviour_section(style))
    write_whole(folder / "report.html", page)
    return summary


def evaluation_page(
    folder: RunFolder, summary: dict[str, Any], teams: Teams, partners: str, scores: str, style: str
) -> str:
    """The page as text."""
    run, tests = summary["run"], results_of_tests(folder)
    body = [
        f'<header><p class="soft small">How well does it play with partners it has never met?</p>'
        f"<h1>{escape(run['agent'])}</h1>"
        f"{paragraph(_what(run), 'soft')}</header>",
        f'<div class="first">{_headline(summary, tests)}'
        f"{section('With whom', partners, paragraph(_strip_legend(), 'soft small'))}</div>",
        section("Partners it fails with", _failures(summary)),
        comparison_section(summary),
        proximity_section(summary),
        section("Its worst game", worst_game_html(folder, worst_game(teams, run["partners"]))),
        failed_section(folder, tests),
        style,
        section("All scores", scores, _score_legend()),
        section("Seat by seat", _seatings(summary)),
        section("How it was measured", _method(summary)),
    ]
    return document(f"{run['agent']}: {_game_name(run)}", "\n".join(body))


def _headline(summary: dict[str, Any], tests: dict[str, Any] | None) -> str:
    run, overall, own = summary["run"], summary["overall"], summary["self_play"]
    mean, best = overall["mean"], run["max_score"]
    of = f" <small>of {best:g}</small>" if best is not None else " <small>points</small>"
    facts = [
        ("with its own copies", f"{own['mean']['value']:.2f}", interval(own["mean"]["low"], own["mean"]["high"])),
        ("games that end at zero", f"{percent(overall['zero'])}", f"{percent(own['zero'])} with its own copies"),
        ("median", f"{overall['median']['value']:g}", interval(overall["median"]["low"], overall["median"]["high"], 1)),
        (
            "middle half (IQM)",
            f"{overall['iqm']['value']:.2f}",
            interval(overall["iqm"]["low"], overall["iqm"]["high"]),
        ),
    ]
    if overall["perfect"] is not None:
        facts.append(
            ("perfect games", f"{percent(overall['perfect'], 1)}", f"{percent(own['perfect'], 1)} with its own copies")
        )
    if overall["strikes"] is not None:
        facts.append(("lives lost per game", f"{overall['strikes']:.2f}", f"{own['strikes']:.2f} with its own copies"))
    if tests is not None:
        facts.append(("unit tests", passed_share(tests), "passed in every game"))
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
        for name, value, more in facts
    )
    few = ""
    if overall["partners"] < FEW:
        words = f"Few partners ({overall['partners']}): the interval is shorter than it should be."
        few = paragraph(words, "bad small")
    forfeits = own["forfeits"] + overall["forfeits"]
    broken = (
        paragraph(f"{forfeits} games were forfeited and count as 0; games.csv says why.", "bad") if forfeits else ""
    )
    return (
        "<section><h2>How good, how sure</h2>"
        f'<div class="big">{mean["value"]:.2f}{of}</div>'
        "<p>mean score with partners it has never met, 95\u00a0% interval "
        f"<b>{interval(mean['low'], mean['high'])}</b></p>"
        f'{few}{broken}<dl class="facts">{cells}</dl></section>'
    )


def _failures(summary: dict[str, Any]) -> str:
    """Partners with whom it certainly reaches less than half of what it reaches with itself."""
    own = summary["self_play"]["mean"]["value"]
    if own <= 0:
        return paragraph("It scores nothing even with its own copies, so no partner can be called a failure.")
    failed = [one for one in summary["partners"] if (one["mean"]["high"] or one["mean"]["value"]) < own / 2]
    if not failed:
        return paragraph(f"None: with every partner it may reach at least half of its own {own:.2f}.", "good")
    failed.sort(key=lambda one: one["mean"]["value"])
    words = (
        f"With {len(failed)} of {len(summary['partners'])} partners the whole interval lies below {own / 2:.2f}, half "
        "of what it scores with its own copies."
    )
    lives = summary["overall"]["strikes"] is not None
    rows = [
        [
            one["partner"],
            f"{one['mean']['value']:.2f}",
            interval(one["mean"]["low"], one["mean"]["high"]),
            f"{percent(one['zero'])}",
            f"{one['length']:.0f}",
            *([f"{one['strikes']:.1f}"] if lives else []),
        ]
        for one in failed
    ]
    return paragraph(words) + table(
        ["partner", "mean", "95 %", "at zero", "turns", *(["lives lost"] if lives else [])], rows
    )


def _seatings(summary: dict[str, Any]) -> str:
    ways = [one["seating"] for one in summary["partners"][0]["seatings"]]
    rows = []
    for one in summary["partners"]:
        cells = [f"{way['mean']['value']:.2f} ± {way['standard_error'] or 0:.2f}" for way in one["seatings"]]
        rows.append([one["partner"], *cells])
    legend = "Mean ± standard error. A is the agent, P the partner; the letters are the seats in order."
    return paragraph(legend, "soft small") + table(["partner", *ways], rows)


def _method(summary: dict[str, Any]) -> str:
    run, overall = summary["run"], summary["overall"]
    rows = [
        ["teams", f"{overall['teams']} and self-play"],
        ["games per team", f"{run['games']:,}"],
        ["seed", f"{run['seed']}: every team met the same deals"],
        ["game", f"{run['game']} version {run['game_version']}"],
        ["coplay", run["coplay"]],
    ]
    rows += [[spec, digest[:23] + "…"] for spec, digest in run["files"].items()]
    return (
        f"<pre>{escape(command(run))}</pre>"
        + listing(rows)
        + paragraph(summary["method"], "soft small")
        + paragraph("Every game is a line of games.csv; every number here is in summary.json.", "soft small")
    )


def command(run: dict[str, Any]) -> str:
    """What was typed, as far as the settings tell."""
    words = ["coplay", "evaluate", run["agent"], "--game", run["game"], "--players", str(run["players"])]
    if "layout" in run["game_settings"]:
        words += ["--layout", str(run["game_settings"]["layout"])]
    words += ["--partners", ",".join(run["partners"]), "--games", str(run["games"]), "--seed", str(run["seed"])]
    if run["seatings"] != "each":
        words += ["--seatings", run["seatings"]]
    return shlex.join(words)


def _game_name(run: dict[str, Any]) -> str:
    kitchen = f" ({run['game_settings']['layout']})" if "layout" in run["game_settings"] else ""
    return f"{run['game']}{kitchen}, {run['players']} players"


def _what(run: dict[str, Any]) -> str:
    count = len(run["partners"])
    return f"{_game_name(run)} · {count} partner{'s'[: count != 1]} · {run['games']:,} games per team"


def _strip(summary: dict[str, Any]) -> str:
    run, own = summary["run"], summary["self_play"]["mean"]["value"]
    top = run["max_score"] or max([own, *(one["mean"]["high"] or one["mean"]["value"] for one in summary["partners"])])

    def mark(one: dict[str, Any], label: str, kind: str) -> Mark:
        mean = one["mean"]
        return Mark(label, mean["value"], mean["low"], mean["high"], f"{percent(one['zero'])}", kind)

    ranked = sorted(summary["partners"], key=lambda one: -one["mean"]["value"])
    marks = [mark(summary["self_play"], "its own copies", "own")]
    marks += [mark(one, one["partner"], "bad" if one["zero"] >= 0.5 else "") for one in ranked]
    return strip(marks, 0, max(top, 1), ("mean", "at zero"), ".1f" if top < 100 else ".0f")


def _strip_legend() -> str:
    return (
        "Dot: mean score; band: 95 % interval; at zero: share of games that score nothing. Red: half the games or more."
    )


def _score_legend() -> str:
    return (
        '<p class="soft small"><span class="key bad"></span>zero <span class="key"></span>other scores, with partners '
        '<span class="key own"></span>with its own copies. Share of games; a bar ends at its number.</p>'
    )


def _bins(summary: dict[str, Any], teams: Teams) -> list[Bin]:
    (_, own), *others = teams.items()
    scores = [row.score for _, rows in others for row in rows]
    return score_bins(scores, [row.score for row in own], summary["run"]["max_score"])


def _partner_rows(summary: dict[str, Any]) -> list[list[Any]]:
    head = ["partner", "games", "mean", "low", "high", "median", "zero", "perfect", "is self-play"]
    rows: list[list[Any]] = [head]
    for one, own in [(summary["self_play"], 1), *((one, 0) for one in summary["partners"])]:
        mean = one["mean"]
        name = summary["run"]["agent"] if own else one["partner"]
        median = one["median"]["value"]
        rows.append(
            [name, one["n"], mean["value"], mean["low"], mean["high"], median, one["zero"], one["perfect"], own]
        )
    return rows


def _bin_rows(bins: list[Bin]) -> list[list[Any]]:
    head = ["above", "up to", "share of games with partners", "share of games with copies"]
    return [head, *([("" if bin.low < 0 else bin.low), *bin[1:]] for bin in bins)]
