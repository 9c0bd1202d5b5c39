"""Pieces of a page. Text is escaped here; the result is also valid XML, so a test can read it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal
from html import escape

from coplay.measure.stats import Estimate
from coplay.report.style import CHART, PAGE, PALETTE

POOL = re.compile(r"^pool:(?:[a-z]+-\d+p-|[a-z]+(?:_[a-z]+)+-)?")  # and the game that its names begin with


def document(title: str, body: str) -> str:
    """A page that needs nothing from anywhere."""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"<title>{escape(title)}</title>\n<style>\n{PALETTE}{CHART}{PAGE}</style>\n</head>\n"
        f"<body>\n<main>\n{body}\n</main>\n</body>\n</html>\n"
    )


def apart(spec: str) -> str:
    """What tells a spec apart: of the pool's what follows the game, of a run its folder and number, of a file the
    class. Other names stay as they are."""
    kind, _, rest = spec.partition(":")
    if kind == "run":
        return "/".join(rest.removesuffix(".safetensors").split("/")[-2:])
    return _in_file(rest)[1] if kind == "file" else POOL.sub("", spec)


def shortened(label: str, room: int = 18) -> str:
    """A label for a picture: what tells a spec apart, of a file its name too if there is room, else the end."""
    kind, _, rest = label.partition(":")
    if kind == "file" and len(both := ":".join(_in_file(rest))) <= room:
        return both
    name = label if len(label) <= room else apart(label)
    return name if len(name) <= room else "…" + name[1 - room :]


def _in_file(place: str) -> tuple[str, str]:
    """The file's name without its folders, and the class with its options, of PATH:CLASS?OPTIONS."""
    path, _, options = place.partition("?")
    file, _, made = path.rpartition(":")
    return file.rpartition("/")[2], f"{made}?{options}" if options else made


def section(heading: str, *parts: str) -> str:
    return f"<section>\n<h2>{escape(heading)}</h2>\n{''.join(parts)}\n</section>\n"


def table(head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """Plain words in cells; the first columns, as many as `words`, hold names and sentences and may break."""

    def cell(tag: str, place: int, text: str) -> str:
        kind = ' class="name"' if tag == "td" and place == 0 else ' class="words"' if 0 < place < words else ""
        return f"<{tag}{kind}>{escape(text)}</{tag}>"

    top = "".join(cell("th", place, text) for place, text in enumerate(head))
    lines = [f"<tr>{''.join(cell('td', place, text) for place, text in enumerate(row))}</tr>" for row in rows]
    return f'<div class="scroll"><table><thead><tr>{top}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'


def heat_table(
    corner: str, columns: Sequence[str], rows: Sequence[tuple[str, Sequence[float | None]]], form: str = ".0f"
) -> str:
    """Numbers on a ground that deepens with their size, red below zero; None stays empty."""
    top = max((abs(value) for _, cells in rows for value in cells if value is not None), default=0) or 1
    head = "".join(f'<th title="{escape(name)}">{escape(apart(name))}</th>' for name in (corner, *columns))

    def cell(value: float | None) -> str:
        if value is None:
            return "<td></td>"
        color, share = "--bad" if value < 0 else "--mark", abs(value) / top * 60
        ground = f"background: color-mix(in srgb, var({color}) {share:.0f}%, transparent)"
        return f'<td style="{ground}">{value:{form}}</td>'

    lines = [f'<tr><td class="name">{escape(name)}</td>{"".join(map(cell, cells))}</tr>' for name, cells in rows]
    body = f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody>"
    return f'<div class="scroll"><table class="heat">{body}</table></div>'


def folded(summary: str, *parts: str) -> str:
    """Closed until somebody asks."""
    return f"<details><summary>{escape(summary)}</summary>{''.join(parts)}</details>"


def listing(pairs: Sequence[Sequence[str]]) -> str:
    """Names and what they stand for."""
    return f'<dl class="list">{"".join(f"<dt>{escape(name)}</dt><dd>{escape(text)}</dd>" for name, text in pairs)}</dl>'


def paragraph(words: str, kind: str = "") -> str:
    return f'<p class="{kind}">{escape(words)}</p>' if kind else f"<p>{escape(words)}</p>"


def interval(estimate: Estimate, digits: int = 2) -> str:
    """The bounds of an estimate in words."""
    return bounds(estimate.low, estimate.high, digits)


def bounds(low: float | None, high: float | None, digits: int = 2) -> str:
    """The ends of an interval in words; nothing is claimed where nothing is known."""
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        return "no interval"
    return f"{low:.{digits}f} to {high:.{digits}f}"


def percent(share: float, digits: int = 0) -> str:
    """A share as people write it, halves rounded up; the space does not break."""
    exact = Decimal(repr(round(float(share) * 100, 9)))
    return f"{exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)}\u00a0%"


def forfeited(count: int, what: str = "game") -> str:
    """What is said about games that somebody broke off."""
    if count == 1:
        return f"1 {what} was forfeited and earned nothing; games.csv says why."
    return f"{count:,} {what}s were forfeited and earned nothing; games.csv says why."


def with_interval(estimate: Estimate, digits: int = 2) -> str:
    """The end of a sentence that tells a value: its 95 % interval, or that there is none."""
    if not estimate.is_sure:
        return "too few games for an interval"
    return f"95\u00a0% interval {interval(estimate, digits)}"


def twin_words(twins: Mapping[str, str]) -> list[str]:
    """What is said about partners that are one partner under several names."""
    return [
        f"{partner} plays like {other}, move for move: over all partners the two count once."
        for partner, other in twins.items()
    ]


def counted(count: int, what: str) -> str:
    """1 turn, 2 turns."""
    return f"{count:,} {what}{'s'[: count != 1]}"
