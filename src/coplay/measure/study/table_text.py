"""The rows of a result as a table for a paper: LaTeX (booktabs) or Markdown."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

TEX = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "–": "--"}
TEX |= {sign: f"\\{sign}" for sign in "&%$#_{}"}
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
ENDS = ("low", "high")  # of the interval of the column before them

Row = Mapping[str, Any]


def latex(rows: Sequence[Row], about: str = "") -> str:
    r"""A `tabular` with the rules of booktabs (`\usepackage{booktabs}`); `about` is a comment above it."""
    head, lines = _cells(rows)
    kinds = "".join("r" if _is_number_column(rows, name) else "l" for name in _columns(rows))
    body = [_tex_row(head), r"\midrule", *map(_tex_row, lines)]
    comment = [f"% {line}" for line in about.splitlines()]
    return (
        "\n".join([*comment, rf"\begin{{tabular}}{{{kinds}}}", r"\toprule", *body, r"\bottomrule", r"\end{tabular}"])
        + "\n"
    )


def markdown(rows: Sequence[Row], about: str = "") -> str:
    """A table of Markdown, numbers to the right; `about` is a line below it."""
    head, lines = _cells(rows)
    kinds = ["--:" if _is_number_column(rows, name) else "---" for name in _columns(rows)]
    text = [f"| {' | '.join(one.replace('|', chr(92) + '|') for one in line)} |" for line in (head, kinds, *lines)]
    return "\n".join([*text, *(["", about] if about else [])]) + "\n"


def _columns(rows: Sequence[Row]) -> list[str]:
    return [name for name in rows[0] if name not in ENDS] if rows else []


def _cells(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """The head and the lines; the ends of an interval stand behind its value."""
    names = list(rows[0]) if rows else []
    sure = {names[place - 1] for place, name in enumerate(names) if name == "low" and place}
    head = [f"{_words(name)} (95 %)" if name in sure else _words(name) for name in _columns(rows)]
    return head, [[_cell(row, name, name in sure) for name in _columns(rows)] for row in rows]


def _cell(row: Row, name: str, with_ends: bool) -> str:
    value = _shown(row[name])
    ends = [_shown(row[end]) for end in ENDS] if with_ends else []
    return f"{value} [{ends[0]}, {ends[1]}]" if ends and "–" not in ends else value


def _shown(value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def _words(name: str) -> str:
    return name.replace("_", " ")


def _is_number_column(rows: Sequence[Row], name: str) -> bool:
    return not any(isinstance(row[name], str) for row in rows)


def _tex_row(cells: Sequence[str]) -> str:
    return " & ".join(_tex(cell) for cell in cells) + r" \\"


def _tex(cell: str) -> str:
    """Signs that mean something to LaTeX are written out; a minus is one."""
    return MINUS.sub("$-$", "".join(TEX.get(sign, sign) for sign in cell))
