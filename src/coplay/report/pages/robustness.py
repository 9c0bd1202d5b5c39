"""Unit tests of collaboration as tables, a figure and one page, with every failed game to watch."""

from __future__ import annotations

from html import escape

from coplay.files import csv_text, write_whole
from coplay.measure.robustness import Robustness, Validation, failed, read_validation
from coplay.measure.robustness.result import CategoryScore, UnitScore
from coplay.measure.robustness.validation import FOLDER
from coplay.report.charts import Mark, standalone, strip
from coplay.report.html import document, interval, listing, paragraph, section, table
from coplay.report.replay import can_be_drawn, page
from coplay.report.sections.made import made_command, made_rows
from coplay.report.sections.validation import validation_section
from coplay.rollouts.episode_file import save


def print_robustness(result: Robustness) -> None:
    """Categories, then every test."""
    print(f"{'where':<18} {'category':<9} {'tests':>5}   score")
    for one in result.categories:
        print(f"{one.where:<18} {one.category:<9} {one.tests:>5}   {one.score.short()}")
    print(f"\n{'where':<18} {'category':<9} {'games':>5}   {'score':<19} test")
    for one in result.tests:
        games = one.starts * result.run.rollouts
        begin = f"{one.where:<18} {one.category:<9} {games:>5}   {one.score.short():<19}"
        print(f"{begin} {one.test}: {one.says}")


def print_validation(found: Validation) -> None:
    """The reward in every place."""
    print(f"\n{'where':<18} {'partners':>8}   validation reward")
    for one in found.rewards:
        print(f"{one.where:<18} {one.partners:>8}   {one.score.short('.1f')}")


def write_robustness(result: Robustness) -> None:
    """tests.csv and .svg, categories.csv, summary.json, report.html; of a failed test a file of its failed games and a
    page of the first; validation.csv where whole games were played too."""
    folder = result.folder
    rows = result.rows()
    write_whole(folder / "tests.csv", csv_text([list(rows[0]), *(list(row.values()) for row in rows)]))
    head = ["agent", "where", "category", "tests", "score", "low", "high"]
    lines = [[result.agent, one.where, one.category, one.tests, *one.score[:3]] for one in result.categories]
    write_whole(folder / "categories.csv", csv_text([head, *lines]))
    chart = robustness_figure(result)
    write_whole(folder / "tests.svg", standalone(chart))
    result.to_json(folder / "summary.json")
    for failure in failed(result):
        name = f"{failure.where}-{failure.test.name}".replace(" ", "-")
        save(failure.episodes, folder / "failed" / f"{name}.safetensors")
        if can_be_drawn(failure.episodes):
            write_whole(folder / "failed" / f"{name}.html", page(failure.episodes, 0))
    validated = _validated(result)
    if validated is not None:
        lines = validated.rows()
        write_whole(folder / "validation.csv", csv_text([list(lines[0]), *(list(row.values()) for row in lines)]))
    write_whole(folder / "report.html", robustness_page(result, chart))


def robustness_figure(result: Robustness) -> str:
    """The share of games passed, test by test; red: most are failed."""
    several = len({one.where for one in result.tests}) > 1
    marks = [
        Mark.of(
            f"{one.where} {one.test}" if several else one.test,
            one.score,
            one.category,
            "bad" if one.score.value < 0.5 else "",
        )
        for one in result.tests
    ]
    return strip(marks, 0, 1, ("passed", "category"), ".2f")


def robustness_page(result: Robustness, chart: str) -> str:
    """The page as text."""
    run = result.run
    body = [
        '<header><p class="soft small">Does it do the obvious thing in unusual situations?</p>'
        f"<h1>{escape(result.agent)}</h1>{paragraph(f'{len(result.tests)} unit tests of collaboration', 'soft')}"
        "</header>",
        section(
            "By category",
            table(["where", "category", "tests", "passed", "95 %"], [_category(one) for one in result.categories]),
        ),
        section(
            "Test by test",
            chart,
            paragraph("Dot: share of games passed; band: 95 % interval. Red: most games are failed.", "soft small"),
        ),
        validation_section(_validated(result)),
        section("What a good partner does", *_tests(result)),
        section("How it was measured", _method(result)),
    ]
    return document(f"{run.agent}: unit tests", "\n".join(body))


def _validated(result: Robustness) -> Validation | None:
    """What whole games with held-out partners came to, if all of them were played into the same folder."""
    return read_validation(result.folder) if (result.folder / FOLDER).is_dir() else None


def _category(one: CategoryScore) -> list[str]:
    return [one.where, one.category, str(one.tests), f"{one.score.value:.2f}", interval(one.score)]


def _tests(result: Robustness) -> list[str]:
    several = len({one.where for one in result.tests}) > 1
    rows = [_test(one, several) for one in sorted(result.tests, key=lambda one: one.score.value)]
    found = [table(["test", "what a good partner does", "partner", "passed"], rows, words=2)]
    files = [file.name for file in sorted((result.folder / "failed").glob("*.html"))]
    if files:
        links = ", ".join(f'<a href="failed/{escape(name)}">{escape(name[:-5])}</a>' for name in files)
        found.append(f"<p>Watch the first failed game of: {links}.</p>")
    return found


def _test(one: UnitScore, several: bool) -> list[str]:
    name = f"{one.where} {one.test}" if several else one.test
    return [name, one.says, one.partner, f"{one.score.value:.2f}"]


def _method(result: Robustness) -> str:
    run = result.run
    rows = [["games", ", ".join(run.games)], ["games from every start", str(run.rollouts)], ["seed", str(run.seed)]]
    words = (
        "A test is a situation in which everybody knows what a good partner would do. The starts are given, so only "
        "the games from each are drawn anew for the intervals."
    )
    return made_command(run) + listing([*rows, *made_rows(run)]) + paragraph(words, "soft small")
