"""Pieces of a page. Text is escaped here; the result is also valid XML, so a test can read it."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from coplay.report.style import CHART, PAGE, PALETTE


def document(title: str, body: str) -> str:
    """A page that needs nothing from anywhere."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{escape(title)}</title>\n<style>\n{PALETTE}{CHART}{PAGE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def section(heading: str, *parts: str) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(parts)}\n</section>\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Plain words in cells; the first column holds names and may break anywhere."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = [
        f'<tr><td class="name">{escape(row[0])}</td>{"".join(f"<td>{escape(cell)}</td>" for cell in row[1:])}</tr>'
        for row in rows
    ]
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def listing(pairs: Sequence[Sequence[str]]) -> str:
    """Names and what they stand for."""
    return f'<dl class="list">{"".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs)}</dl>'


def paragraph(words: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(words)}</p>' if kind else f"<p>{escape(words)}</p>"


def interval(low: float | None, high: float | None, digits: int = 2) -> str:
    """The bounds in words; nothing is claimed where nothing is known."""
    if low is None or high is None:
        return "no interval"
    return f"{low:.{digits}f} to {high:.{digits}f}"


def percent(share: float, digits: int = 0) -> str:
    """A share as people write it; the space does not break."""
    return f"{share * 100:.{digits}f}\u00a0%"
