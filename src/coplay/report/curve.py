"""A line chart: how a number changes with another, per name, with the spread of the one that matters."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

from coplay.report.charts import _chart, _line, _text, nice_ticks
from coplay.report.html import shortened


class Curve(NamedTuple):
    """A named line; `low` and `high` where its spread is shown."""

    label: str
    values: Sequence[float]  # one per place of the chart
    low: Sequence[float] = ()  # NaN where nothing is known
    high: Sequence[float] = ()
    kind: str = ""  # own for the one that matters


def curve(lines: Sequence[Curve], places: Sequence[float], axes: tuple[str, str], height: int = 300) -> str:
    """Lines over `places`, which stand at equal distances; `axes` says what runs to the right and what upwards."""
    ends = [value for line in lines for value in (*line.values, *line.low, *line.high) if math.isfinite(value)]
    ticks = nice_ticks(min(0.0, *ends), max(1e-9, *ends), 5)
    left, right, top, bottom = 9.0, 64.0, 24, height - 24  # per cent; names of 16 letters fit beside it on a phone

    def x_of(place: int) -> float:
        return left + (right - left) * (place / max(len(places) - 1, 1))

    def y_of(value: float) -> float:
        return bottom - (bottom - top) * (value - ticks[0]) / (ticks[-1] - ticks[0])

    parts = [_line(left, y_of(tick), right, y_of(tick), "grid") for tick in ticks]
    parts += [_text(left - 1, y_of(tick) + 4, f"{tick:g}", "soft end") for tick in ticks]
    parts += [_text(x_of(i), bottom + 16, f"{place:g}", "soft middle") for i, place in enumerate(places)]
    parts += [_text(100, bottom + 32, f"{axes[0]} →", "soft end"), _text(0, 11, f"↑ {axes[1]}", "soft")]
    taken: list[float] = []
    for line in sorted(lines, key=lambda line: -line.values[-1]):
        parts += _drawn(line, x_of, y_of)
        name = y_of(line.values[-1]) + 4
        while any(abs(name - other) < 13 for other in taken):
            name += 1  # names that would lie on each other move down
        taken.append(name)
        parts.append(
            _text(right + 2, name, shortened(line.label, 16), "strong" if line.kind == "own" else "", line.label)
        )
    return _chart(parts, max(height + 14, *(name + 6 for name in taken)), f"{axes[1]} over {axes[0]}")


def _drawn(line: Curve, x_of: Callable[[int], float], y_of: Callable[[float], float]) -> list[str]:
    """Straight pieces, because a polyline cannot be placed in per cent of the width."""
    kind = "curve own" if line.kind == "own" else "curve"
    parts = []
    for place, (low, high) in enumerate(zip(line.low, line.high, strict=True)):
        if low <= high:
            parts.append(_line(x_of(place), y_of(low), x_of(place), y_of(high), "spread"))
    for place in range(len(line.values) - 1):
        ends = (x_of(place), y_of(line.values[place]), x_of(place + 1), y_of(line.values[place + 1]))
        parts.append(_line(*ends, kind))
    for place, value in enumerate(line.values):
        title = f"<title>{escape(line.label)}: {value:.2f}</title>"
        dot = f'class="dot {line.kind}" cx="{x_of(place):.2f}%" cy="{y_of(value):.1f}" r="4"'
        parts.append(f"<circle {dot}>{title}</circle>")
    return parts
