"""A heat map as SVG: rows in named blocks, shares from 0 to 1 that deepen the ground."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from coplay.report.charts import LEFT, _chart, _text
from coplay.report.html import shortened

LINE, TOP = 18, 118  # pixels: a row; room above for the columns' names, which lean
RIGHT = 92.0  # per cent: where the cells end, so that the last name has room

Block = tuple[str, Sequence[tuple[str, Sequence[float]]]]  # title, (label, a share for each column)


def heat(blocks: Sequence[Block], columns: Sequence[str]) -> str:
    """A row for each label of each block; every cell tells its value when it is pointed at."""
    wide = (RIGHT - LEFT) / len(columns)
    parts = []
    for number, name in enumerate(columns):
        x = LEFT + wide * (number + 0.5)
        leaning = f'<text class="soft" transform="rotate(-50)">{escape(shortened(name, 22))}</text>'
        parts.append(f'<svg x="{x:.2f}%" y="{TOP - 6}" overflow="visible">{leaning}</svg>')
    y = float(TOP)
    for title, rows in blocks:
        parts.append(_text(0, y + 13, title, "strong"))
        y += LINE
        for label, values in rows:
            parts.append(_text(0, y + 13, shortened(label), "", label))
            for number, value in enumerate(values):
                place = f'x="{LEFT + wide * number:.2f}%" y="{y:g}" width="{wide * 0.94:.2f}%" height="{LINE - 2}"'
                hover = f"<title>{escape(f'{label}, {columns[number]}: {value:.2f}')}</title>"
                parts.append(f'<rect {place} style="fill: var(--mark); opacity: {max(value, 0.04):.2f}">{hover}</rect>')
            y += LINE
        y += LINE / 2
    return _chart(parts, y, "Heat map of " + ", ".join(columns))
