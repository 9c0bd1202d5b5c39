"""Tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """The rows as text, the head among them; None stays empty."""
    lines = io.StringIO(newline="")
    csv.writer(lines, lineterminator="\n").writerows(rows)
    return lines.getvalue()
