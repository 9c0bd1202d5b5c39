"""Tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Lines end in a plain newline on every system; floats keep ten digits, None is an empty cell."""
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows(
        [f"{value:.10g}" if isinstance(value, float) else value for value in row] for row in rows
    )
    return lines.getvalue()
