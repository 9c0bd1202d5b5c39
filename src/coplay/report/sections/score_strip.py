"""Mean scores with their intervals, on a scale that suits the game."""

from __future__ import annotations

from collections.abc import Sequence

from coplay.report.charts import Mark, strip


def score_strip(marks: Sequence[Mark], best: float | None, note: str) -> str:
    """From zero, or the lowest end, to the highest score, if anybody knows it; `note` heads the column of notes."""
    top = max([best or 0.0, *(end for mark in marks for end in mark.ends)])
    return strip(marks, 0, best or 0.0, ("mean", note), ".2f" if top < 10 else ".1f" if top < 100 else ".0f")
