"""The unit tests of collaboration on the page of an evaluation: what it failed, and the first failed games to watch."""

from __future__ import annotations

from html import escape
from typing import Any

from coplay.measure.run_folder import RunFolder
from coplay.play.episode_file import load
from coplay.report.html import paragraph, section, table
from coplay.report.replay import page

WATCHED = 2  # failed tests whose first failed game is on the page: every replay makes it larger


def failed_section(folder: RunFolder, found: dict[str, Any] | None) -> str:
    """Nothing where no test was run."""
    if found is None:
        return ""
    tests = found["tests"]
    broken = sorted((one for one in tests if one["score"] < 1), key=lambda one: one["score"])
    groups = ", ".join(f"{one['category']} {one['score']:.2f}" for one in found["categories"])
    words = (
        f"{passed_share(found)} tests passed in every game, {found['rollouts']} games from every start. Share of games "
        f"passed: {groups}. A test is a situation in which everybody knows what a good partner would do."
    )
    parts = [paragraph(words, "" if broken else "good")]
    if broken:
        rows = [[one["test"], one["says"], one["category"], one["partner"], f"{one['score']:.2f}"] for one in broken]
        parts.append(table(["test", "what a good partner does", "category", "partner", "passed"], rows, words=2))
        parts += [_replay(folder, one) for one in broken[:WATCHED]]
        others = [one for one in broken[WATCHED:] if one["failed_games"]]
        if others:
            commands = "\n".join(f"coplay replay {one['failed_games']}" for one in others)
            parts.append(f'<p class="soft small">The other failed games, in this folder:</p><pre>{commands}</pre>')
    heading = "The tests it failed" if broken else "The tests it passed"
    return section(heading, *parts)


def passed_share(found: dict[str, Any]) -> str:
    """How many tests were never failed."""
    tests = found["tests"]
    return f"{sum(one['score'] == 1 for one in tests)} of {len(tests)}"


def _replay(folder: RunFolder, one: dict[str, Any]) -> str:
    file = folder / one["failed_games"]
    if not one["failed_games"] or not file.is_file():
        return ""
    # Links of a page in a frame would open in the frame.
    inner = escape(page(load(file), 0).replace("<head>", '<head><base target="_blank">', 1))
    return (
        f"<details><summary>Watch it fail: {escape(one['test'])}</summary>"
        f'<iframe loading="lazy" title="replay of a failed test" srcdoc="{inner}"></iframe></details>'
    )
