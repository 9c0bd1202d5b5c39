"""The unit tests of collaboration on the page of an evaluation: what it failed, and the first failed games to watch."""

from __future__ import annotations

from html import escape
from pathlib import Path

from coplay.measure.evaluated.tests import SuiteResult
from coplay.measure.robustness.result import UnitScore
from coplay.report.html import paragraph, section, table
from coplay.report.replay import can_be_drawn, page
from coplay.rollouts.episode_file import load

WATCHED = 2  # failed tests whose first failed game is on the page: every replay makes it larger


def failed_section(folder: Path, found: SuiteResult | None) -> str:
    """Nothing where no test was run."""
    if found is None:
        return ""
    broken = sorted((one for one in found.tests if one.score.value < 1), key=lambda one: one.score.value)
    groups = ", ".join(f"{one.category} {one.score.value:.2f}" for one in found.categories)
    words = (
        f"{passed_share(found)} tests passed in every game, {found.rollouts} games from every start. Share of games "
        f"passed: {groups}. A test is a situation in which everybody knows what a good partner would do."
    )
    parts = [paragraph(words, "" if broken else "good")]
    if broken:
        rows = [[one.test, one.says, f"{one.score.value:.2f}", one.category, one.partner] for one in broken]
        parts.append(table(["test", "what a good partner does", "passed", "category", "partner"], rows, words=2))
        parts += [_replay(folder, one) for one in broken[:WATCHED]]
        others = [one for one in broken[WATCHED:] if one.file]
        if others:
            commands = "\n".join(f"coplay replay {folder / one.file} --game {one.failed[0]}" for one in others)
            words = "The first failed games of the others, where it was evaluated:"
            parts.append(f"{paragraph(words, 'soft small')}<pre>{escape(commands)}</pre>")
    heading = "The tests it failed" if broken else "The tests it passed"
    return section(heading, *parts)


def passed_share(found: SuiteResult) -> str:
    """How many tests were never failed."""
    return f"{sum(one.score.value == 1 for one in found.tests)} of {len(found.tests)}"


def _replay(folder: Path, one: UnitScore) -> str:
    file = folder / one.file
    if not one.file or not file.is_file():
        return ""
    episodes = load(file)
    if not can_be_drawn(episodes):
        return ""
    # Links of a page in a frame would open in the frame.
    inner = escape(page(episodes, one.failed[0]).replace("<head>", '<head><base target="_blank">', 1))
    return (
        f"<details><summary>Watch it fail: {escape(one.test)}</summary>"
        f'<iframe loading="lazy" title="replay of a failed test" srcdoc="{inner}"></iframe></details>'
    )
