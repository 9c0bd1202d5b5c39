"""The page of an evaluation: how good, with whom, how sure; then what went wrong, and how it was measured."""

from __future__ import annotations

import shlex
from html import escape
from pathlib import Path
from typing import Any

from coplay.faces import faces_of
from coplay.files import csv_text, write_whole
from coplay.games import spec_of
from coplay.measure.evaluated.behaviour import behaved
from coplay.measure.evaluated.folder import EvaluationFolder, EvaluationRun
from coplay.measure.evaluated.scores import PartnerScores, Scores
from coplay.measure.evaluated.tests import SuiteResult, results_of_tests, results_of_validation
from coplay.measure.evaluated.until import known_mean
from coplay.measure.evaluation import Evaluation, read_evaluation
from coplay.pool.sets import short_names, wish_of
from coplay.report.charts import Bin, Mark, histogram, score_bins, standalone
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
    twin_words,
    with_interval,
)
from coplay.report.sections.behaviour import behaviour_rows, behaviour_section
from coplay.report.sections.costs import costs_section
from coplay.report.sections.failed_tests import failed_section, passed_share
from coplay.report.sections.made import made_rows
from coplay.report.sections.pool_comparison import comparison_section
from coplay.report.sections.proximity import proximity_section, write_proximity
from coplay.report.sections.score_strip import score_strip
from coplay.report.sections.validation import validation_section
from coplay.report.sections.worst_game import worst_game, worst_game_html

FEW = 10  # partners: below this an interval over partners is too short


def write_report(found: Evaluation | EvaluationFolder | str | Path) -> Evaluation:
    """Makes summary.json, figures/ and report.html from the games of an evaluation, or of its folder."""
    if not isinstance(found, Evaluation):
        folder = found if isinstance(found, EvaluationFolder) else EvaluationFolder(found)
        folder.run().check_version(folder.path)
        found = read_evaluation(folder)
    place = found.folder
    found.to_json(place / "summary.json")
    bins = _bins(found)
    partners = _strip(found)
    for name, chart, rows in (
        ("partners", partners, _partner_rows(found)),
        ("scores", histogram(bins), _bin_rows(bins)),
    ):
        write_whole(place / f"figures/{name}.svg", standalone(chart))
        write_whole(place / f"figures/{name}.csv", csv_text(rows))
    write_proximity(place, found.proximity)
    style = behaved(place, found.run)
    if style is not None:
        write_whole(place / "figures/behaviour.csv", csv_text(behaviour_rows(style)))
    page = evaluation_page(found, partners, histogram(bins), behaviour_section(style))
    write_whole(place / "report.html", page)
    return found


def evaluation_page(found: Evaluation, partners: str, scores: str, style: str) -> str:
    """The page as text."""
    run, tests = found.run, results_of_tests(found.folder)
    body = [
        f'<header><p class="soft small">How well does it play with partners it has never met?</p>'
        f"<h1>{escape(run.agent)}</h1>"
        f"{paragraph(_what(run), 'soft')}</header>",
        f'<div class="first">{_headline(found, tests)}'
        f"{section('With whom', partners, paragraph(_strip_legend(found), 'soft small'))}</div>",
        section("Partners it fails with", _failures(found)),
        comparison_section(found),
        proximity_section(found.proximity),
        section("Its worst game", worst_game_html(found, worst_game(found))),
        failed_section(found.folder, tests),
        validation_section(results_of_validation(found.folder)),
        style,
        section("All scores", scores, _score_legend()),
        section("Seat by seat", _seatings(found)),
        costs_section(found.folder),
        section("How it was measured", _method(found)),
    ]
    return document(f"{run.agent}: {_game_name(run)}", "\n".join(body))


def _headline(found: Evaluation, tests: SuiteResult | None) -> str:
    run, overall, own = found.run, found.overall, found.self_play
    of = f" <small>of {run.max_score:g}</small>" if run.max_score is not None else " <small>points</small>"
    facts = [
        ("with its own copies", f"{own.mean.value:.2f}", interval(own.mean)),
        ("games that end at zero", percent(overall.zero), f"{percent(own.zero)} with its own copies"),
        ("median", f"{overall.median.value:g}", interval(overall.median, 1)),
        ("middle half (IQM)", f"{overall.iqm.value:.2f}", interval(overall.iqm)),
    ]
    if overall.perfect is not None and own.perfect is not None:
        alone = f"{percent(own.perfect, 1)} with its own copies"
        facts.append(("perfect games", percent(overall.perfect, 1), alone))
    for name, words in _fact_words(run).items():
        if name in overall.facts:
            alone = f"{own.facts[name]:.2f} with its own copies"
            facts.append((f"{words} per game", f"{overall.facts[name]:.2f}", alone))
    if tests is not None:
        facts.append(("unit tests", passed_share(tests), "passed in every game"))
    cells = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)}<small>{escape(more)}</small></dd></div>"
        for name, value, more in facts
    )
    few = ""
    if overall.partners < FEW:
        words = f"Few partners ({overall.partners}): the interval is shorter than it should be."
        few = paragraph(words, "bad small")
    forfeits = own.forfeits + overall.forfeits
    broken = paragraph(forfeited(forfeits), "bad") if forfeits else ""
    return (
        "<section><h2>How good, how sure</h2>"
        f'<div class="big">{overall.mean.value:.2f}{of}</div>'
        f"<p>mean score with partners it has never met, <b>{with_interval(overall.mean)}</b></p>"
        f'{few}{broken}<dl class="facts">{cells}</dl></section>'
    )


def _fact_words(run: EvaluationRun) -> dict[str, str]:
    """What the game tells of its ends, as people call it."""
    return dict(faces_of(run.make_game()).fact_words)


def _failures(found: Evaluation) -> str:
    """Partners with whom it certainly reaches less than half of what it reaches with itself."""
    own, partners = found.self_play.mean.value, [one for one in found.partners if one.partner not in found.twins]
    lowest = min([0.0, *(row.score for rows in found.games.values() for row in rows)])
    best = max(partners, key=lambda one: one.mean.value)
    reach, whom = (own, "its own copies") if own > lowest else (best.mean.value, best.partner)
    if reach <= lowest:
        return paragraph("All: it scores nothing with anybody, its own copies included.", "bad")
    line = (lowest + reach) / 2
    half = "half of that" if lowest == 0 else f"half-way to that from the lowest score that was seen, {lowest:g}"
    failed = sorted((one for one in partners if one.mean.most < line), key=lambda one: one.mean.value)
    if not failed:
        return paragraph(f"None. With {whom} it scores {reach:.2f}; no partner is surely below {half}.", "good")
    words = (
        f"With {whom} it scores {reach:.2f}. With {len(failed)} of {counted(len(partners), 'partner')} the whole "
        f"interval lies below {line:.2f}, {half}."
    )
    facts = {name: words for name, words in _fact_words(found.run).items() if name in found.overall.facts}
    rows = [[*_failed_row(one), *(f"{one.facts[name]:.1f}" for name in facts)] for one in failed]
    return paragraph(words) + table(["partner", "mean", "95 %", "at zero", "turns", *facts.values()], rows)


def _failed_row(one: PartnerScores) -> list[str]:
    wish = wish_of(one.partner)
    called = f"{one.partner}: {wish}" if wish else one.partner
    return [called, f"{one.mean.value:.2f}", interval(one.mean), percent(one.zero), f"{one.length:.0f}"]


def _seatings(found: Evaluation) -> str:
    ways = [one.seating for one in found.partners[0].seatings]
    rows = [[one.partner, *map(_with_error, one.seatings)] for one in found.partners]
    legend = "Mean ± standard error. A is the agent, P the partner; the letters are the seats in order."
    return paragraph(legend, "soft small") + table(["partner", *ways], rows)


def _with_error(one: Scores) -> str:
    return f"{one.mean.value:.2f}" if one.n == 1 else f"{one.mean.value:.2f} ± {one.standard_error:.2f}"


def _method(found: Evaluation) -> str:
    run = found.run
    rows = [
        ["teams", f"{found.overall.teams} and self-play"],
        ["games per team", f"{run.games:,}"],
        ["seed", f"{run.seed}: every team met the same deals"],
        *made_rows(run),
    ]
    if run.until is not None:
        known = known_mean(run, found.games)
        told = f"to {run.until:g} points either way; it is {known.value:.2f} [{known.low:.2f}, {known.high:.2f}]"
        rows.insert(2, ["ended by itself", f"when its mean with these partners was known {told}, whenever one looks"])
    rows += [[spec, digest[:23] + "…"] for spec, digest in run.files.items()]
    return (
        f"<pre>{escape(command(run))}</pre>"
        + listing(rows)
        + paragraph(found.method, "soft small")
        + paragraph("Every game is a line of games.csv; every number here is in summary.json.", "soft small")
    )


def command(run: EvaluationRun) -> str:
    """What was typed, as far as the settings tell."""
    words = ["coplay", "evaluate", run.spec_of(run.agent), "--game", spec_of(run.make_game())]
    partners = ",".join(run.spec_of(name) for name in run.partners)
    words += ["--partners", partners, "--games", str(run.games), "--seed", str(run.seed)]
    if run.agent in run.specs:
        words += ["--name", run.agent]
    if run.seatings != "each":
        words += ["--seatings", run.seatings]
    return shlex.join(words)


def _game_name(run: EvaluationRun) -> str:
    return f"{run.game_words}, {run.players} players"


def _what(run: EvaluationRun) -> str:
    return f"{_game_name(run)} · {counted(len(run.partners), 'partner')} · {counted(run.games, 'game')} per team"


def _strip(found: Evaluation) -> str:
    def mark(one: Scores, label: str, kind: str) -> Mark:
        return Mark.of(label, one.mean, percent(one.zero), kind)

    ranked = sorted(found.partners, key=lambda one: -one.mean.value)
    marks = [mark(found.self_play, "its own copies", "own")]
    names = short_names(found.run.partners)
    marks += [mark(one, names[one.partner], "bad" if one.zero >= 0.5 else "") for one in ranked]
    return score_strip(marks, found.run.max_score, "at zero")


def _strip_legend(found: Evaluation) -> str:
    words = (
        "Dot: mean score; band: 95 % interval; at zero: share of games that score nothing. Red: half the games or more."
    )
    return " ".join([words, *twin_words(found.twins)])


def _score_legend() -> str:
    return (
        '<p class="soft small"><span class="key bad"></span>zero <span class="key"></span>other scores, with partners '
        '<span class="key own"></span>with its own copies. Share of games; a bar ends at its number.</p>'
    )


def _bins(found: Evaluation) -> list[Bin]:
    own, *others = found.games.values()
    return score_bins([row.score for rows in others for row in rows], [row.score for row in own], found.run.max_score)


def _partner_rows(found: Evaluation) -> list[list[Any]]:
    head = ["partner", "games", "mean", "low", "high", "median", "zero", "perfect", "is self-play"]
    rows: list[list[Any]] = [head]
    for name, one in [(found.run.agent, found.self_play), *((one.partner, one) for one in found.partners)]:
        own = int(one is found.self_play)
        rows.append([name, one.n, *one.mean[:3], one.median.value, one.zero, one.perfect, own])
    return rows


def _bin_rows(bins: list[Bin]) -> list[list[Any]]:
    head = ["above", "up to", "share of games with partners", "share of games with copies"]
    return [head, *([("" if bin.low == bin.high else bin.low), *bin[1:]] for bin in bins)]
