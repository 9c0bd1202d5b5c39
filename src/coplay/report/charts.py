"""Small charts as SVG. Places are per cent of the width and type is in pixels: one picture fits phone and screen."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from coplay.measure.stats import Estimate
from coplay.report.html import percent, shortened
from coplay.report.style import CHART, PALETTE

DIGITS = 14  # that stand below a scale side by side on a phone

ROW, HEAD = 25, 22  # pixels
LEFT, RIGHT = 36.0, 74.0  # per cent: where the scale of a strip begins and ends


class Mark(NamedTuple):
    """A row of a strip: a dot with its interval, and words at both sides."""

    label: str
    value: float
    low: float | None  # None or NaN: nothing is known about the spread
    high: float | None
    note: str = ""
    kind: str = ""  # own, bad or nothing: the colour of the dot

    @classmethod
    def of(cls, label: str, estimate: Estimate, note: str = "", kind: str = "") -> Mark:
        return cls(label, *estimate[:3], note, kind)

    @property
    def ends(self) -> list[float]:
        """What a scale has to reach to."""
        return [end for end in (self.value, self.low, self.high) if end is not None and math.isfinite(end)]


class Bin(NamedTuple):
    """A bar of a histogram: scores beyond one end up to the other, away from zero; one bar holds zero alone."""

    low: float
    high: float
    share: float  # of games with partners
    own: float  # of games with copies


def strip(marks: Sequence[Mark], low: float, high: float, columns: tuple[str, str], form: str = ".1f") -> str:
    """Dots with intervals on one scale, a row each; `columns` head the value and the note, `form` writes the value.

    The scale goes from `low` to `high`, and further where a mark does.
    """
    ends = [end for mark in marks for end in mark.ends]
    low, high = min([low, *ends]), max([high, *ends])
    ticks = nice_ticks(low, high, 5)
    if sum(len(f"{tick:g}") for tick in ticks) > DIGITS:
        ticks = nice_ticks(low, high, 3)
    low, high = min(low, ticks[0]), max(high, ticks[-1])

    def place(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * (min(max(value, low), high) - low) / (high - low)

    bottom = HEAD + ROW * len(marks)
    parts = [_line(place(tick), HEAD - 4, place(tick), bottom, "grid") for tick in ticks]
    parts += [_text(place(tick), bottom + 16, f"{tick:g}", "soft middle") for tick in ticks]
    parts += [_text(86, 14, columns[0], "soft end"), _text(100, 14, columns[1], "soft end")]
    for number, mark in enumerate(marks):
        y = HEAD + ROW * number + ROW / 2
        parts.append(_text(0, y + 4, shortened(mark.label), "strong" if mark.kind == "own" else "", mark.label))
        if mark.low is not None and mark.high is not None and mark.low <= mark.high:  # not so if they are NaN
            parts.append(_line(place(mark.low), y, place(mark.high), y, "spread"))
        parts.append(f'<circle class="dot {mark.kind}" cx="{place(mark.value):.2f}%" cy="{y:g}" r="5"/>')
        parts.append(_text(86, y + 4, f"{mark.value:{form}}", "strong end"))
        parts.append(_text(100, y + 4, mark.note, "soft end"))
    return _chart(parts, bottom + 24, "Scores with intervals: " + ", ".join(mark.label for mark in marks))


def histogram(bins: Sequence[Bin], height: int = 190) -> str:
    """Bars: share of games with partners; outlines: with copies of itself. Zero stands out and says its share."""
    top = max(max(bin.share for bin in bins), max(bin.own for bin in bins), 0.01)
    ticks = [tick for tick in nice_ticks(0, top, 5) if tick <= top * 1.001]
    left = 10.0
    wide = (100 - left) / len(bins)

    def y_of(share: float) -> float:
        return 18 + (height - 18) * (1 - share / top)

    parts = [_line(left, y_of(tick), 100, y_of(tick), "grid") for tick in ticks]
    parts += [_text(left - 1.5, y_of(tick) + 4, f"{tick * 100:g}\u00a0%", "soft end") for tick in ticks]
    zero = next(number for number, bin in enumerate(bins) if bin.low == bin.high)
    ends = [bin.low if number < zero else bin.high for number, bin in enumerate(bins)]
    every = max(1, math.ceil(len(bins) / (13 if max(len(f"{end:g}") for end in ends) < 3 else 7)))
    for number, bin in enumerate(bins):
        x, inner = left + wide * (number + 0.12), wide * 0.76
        kind = "bar bad" if number == zero else "bar"
        for share, look in ((bin.share, kind), (bin.own, "outline")):
            if share > 0:
                y = y_of(share)
                parts.append(
                    f'<rect class="{look}" x="{x:.2f}%" y="{y:.1f}" width="{inner:.2f}%" height="{height - y:.1f}"/>'
                )
        if (number - zero) % every == 0:
            parts.append(_text(x + inner / 2, height + 16, f"{ends[number]:g}", "soft middle"))
    at = left + wide * (zero + 0.12)
    parts.append(_text(at, 12, f"{percent(bins[zero].share)} at zero", "strong end" if at > 60 else "strong"))
    return _chart(parts, height + 24, "How often each score was reached")


BINS = 25  # of a row of `shares`


def shares(rows: Sequence[tuple[str, Sequence[float], float]], columns: tuple[str, str]) -> str:
    """How shares from 0 to 1 are spread: a row of bars for each (label, shares, what they come to), and its value.

    The heights of a row are the counts of its bars against its highest.
    """
    bottom = HEAD + 2 * ROW * len(rows)
    wide = (RIGHT - LEFT) / BINS
    parts = [
        _line(LEFT + (RIGHT - LEFT) * tick, HEAD - 4, LEFT + (RIGHT - LEFT) * tick, bottom, "grid")
        for tick in (0, 0.5, 1)
    ]
    parts += [_text(LEFT + (RIGHT - LEFT) * tick, bottom + 16, f"{tick:g}", "soft middle") for tick in (0, 0.5, 1)]
    parts += [_text(86, 14, columns[0], "soft end"), _text(100, 14, columns[1], "soft end")]
    for number, (label, values, middle) in enumerate(rows):
        ground = HEAD + 2 * ROW * (number + 1) - 4
        counts = [0] * BINS
        for value in values:
            counts[min(int(value * BINS), BINS - 1)] += 1
        for place, count in enumerate(counts):
            high = (2 * ROW - 10) * count / max(counts)
            parts.append(
                f'<rect class="bar" x="{LEFT + wide * (place + 0.08):.2f}%" y="{ground - high:.1f}" '
                f'width="{wide * 0.84:.2f}%" height="{high:.1f}"/>'
            )
        at = LEFT + (RIGHT - LEFT) * middle
        parts += [_line(LEFT, ground, RIGHT, ground, "grid"), _line(at, ground - 2 * ROW + 10, at, ground, "own-line")]
        parts.append(_text(0, ground - 8, shortened(label), "", label))
        parts += [
            _text(86, ground - 8, f"{middle:.2f}", "strong end"),
            _text(100, ground - 8, f"{len(values)}", "soft end"),
        ]
    return _chart(parts, bottom + 24, "How shares are spread: " + ", ".join(label for label, *_ in rows))


class Point(NamedTuple):
    """A named place on a map."""

    label: str
    x: float
    y: float
    kind: str = ""  # own, bad or nothing: the colour of the dot


def scatter(
    points: Sequence[Point],
    axes: tuple[str, str],
    height: int = 340,
    zero: bool = False,
    line: Sequence[tuple[float, float]] = (),
) -> str:
    """Named dots on two scales; `axes` says what runs to the right and what upwards; `zero` draws both zero lines, and
    `line` one through these places."""
    x_ticks = nice_ticks(*_range([*(point.x for point in points), *(x for x, _ in line)]), 5)
    y_ticks = nice_ticks(*_range([*(point.y for point in points), *(y for _, y in line)]), 5)
    left, right, top, bottom = 9.0, 98.0, 20, height - 24

    def x_of(value: float) -> float:
        return left + (right - left) * (value - x_ticks[0]) / (x_ticks[-1] - x_ticks[0])

    def y_of(value: float) -> float:
        return bottom - (bottom - top) * (value - y_ticks[0]) / (y_ticks[-1] - y_ticks[0])

    parts = [_line(x_of(tick), top, x_of(tick), bottom, _zero(tick, zero)) for tick in x_ticks]
    parts += [_line(left, y_of(tick), right, y_of(tick), _zero(tick, zero)) for tick in y_ticks]
    parts += [_text(x_of(tick), bottom + 16, f"{tick:g}", "soft middle") for tick in x_ticks]
    parts += [_text(left - 1, y_of(tick) + 4, f"{tick:g}", "soft end") for tick in y_ticks]
    parts += [_text(right, bottom + 32, f"{axes[0]} →", "soft end"), _text(0, 11, f"↑ {axes[1]}", "soft")]
    ends = [(x_of(x), y_of(y)) for x, y in line]
    parts += [_line(*before, *after, "curve") for before, after in pairwise(ends)]
    taken: list[tuple[float, float]] = []
    for point in sorted(points, key=lambda point: -point.y):
        x, y = x_of(point.x), y_of(point.y)
        parts.append(f'<circle class="dot {point.kind}" cx="{x:.2f}%" cy="{y:.1f}" r="5"/>')
        place = y + 4
        while any(abs(x - other) < 16 and abs(place - line) < 13 for other, line in taken):
            place += 3  # words that would lie on each other move down
        taken.append((x, place))
        far = x > 78
        parts.append(_text(x, place, shortened(point.label, 22), "end" if far else "", point.label, -9 if far else 9))
    return _chart(parts, height + 14, f"Map of {', '.join(point.label for point in points)}")


def _zero(tick: float, wanted: bool) -> str:
    return "own-line" if wanted and tick == 0 else "grid"


def _range(values: Sequence[float]) -> tuple[float, float]:
    """A little more than the values span, so that no dot lies on the frame."""
    low, high = min(values), max(values)
    room = (high - low) * 0.06 or 0.5
    return low - room, high + room


def standalone(chart: str, width: int = 720) -> str:
    """The chart as a file of its own."""
    style = f"<style>{PALETTE}{CHART} svg {{ background: var(--card); }}</style>"
    opening = chart.index(">") + 1
    head = chart[: opening - 1].replace("<svg ", f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" ', 1)
    return f"{head}>{style}{chart[opening:]}\n"


def score_bins(scores: Sequence[float], own: Sequence[float], best: float | None) -> list[Bin]:
    """Zero by itself; to both sides bins of one point where scores are whole and few, else about twenty."""
    every = [*scores, *own]
    whole = all(float(value).is_integer() for value in every)
    low, high = min([0.0, *every]), max([best or 0.0, *every, 1.0 if whole else 0.0])
    reach = (high - low) or 1.0
    steps = [step for step in _steps(reach / 20) if step * 20 >= reach and (step.is_integer() or not whole)]
    width = 1.0 if whole and reach <= 30 else steps[0]
    below, above = (math.ceil(end / width - 1e-6) for end in (-low, high))  # the remainder is noise of the division

    def shares(values: Sequence[float]) -> list[float]:
        counts = [0] * (below + 1 + above)
        for value in values:
            away = math.ceil(abs(value) / width - 1e-6) or int(value != 0)
            counts[below + (away if value > 0 else -away)] += 1
        return [count / max(len(values), 1) for count in counts]

    edges = [float(f"{width * number:.10g}") for number in range(-below, above + 1)]
    lows = [*edges[: below + 1], *edges[below:-1]]
    highs = [*edges[1 : below + 1], *edges[below:]]
    return [Bin(*bin) for bin in zip(lows, highs, shares(scores), shares(own), strict=True)]


def nice_ticks(low: float, high: float, about: int) -> list[float]:
    """Round numbers from low to high, the ends included or passed by less than a step."""
    span = max(high - low, 1e-9)
    tried = ((step, math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)) for step in _steps(span / about))
    # A range that is a little longer than `about` steps has too many ticks where both of its ends lie between two.
    step, first, last = next(one for one in tried if one[0] * about >= span * 0.999 and one[2] - one[1] <= about + 1)
    return [round(step * number, 10) for number in range(first, max(last, first + 1) + 1)]


def _steps(least: float) -> list[float]:
    power = 10.0 ** math.floor(math.log10(least))
    return [power * factor for factor in (1, 2, 2.5, 5, 10, 20)]


def _chart(parts: Sequence[str], height: float, title: str) -> str:
    return (
        f'<svg class="chart" height="{height:g}" role="img" aria-label="{escape(title)}">'
        f"<title>{escape(title)}</title>{''.join(parts)}</svg>"
    )


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.2f}%" y1="{y1:g}" x2="{x2:.2f}%" y2="{y2:g}"/>'


def _text(x: float, y: float, words: str, kind: str, title: str = "", aside: int = 0) -> str:
    """Words at a place, or so many pixels aside of it."""
    hover = f"<title>{escape(title)}</title>" if title and title != words else ""
    shift = f' dx="{aside}"' if aside else ""
    return f'<text class="{kind}" x="{x:.2f}%" y="{y:g}"{shift}>{hover}{escape(words)}</text>'
