"""The diversity of a population as pictures: over the size of the subset, and by how the subset was chosen."""

from __future__ import annotations

import math
from collections.abc import Sequence

from coplay.measure import MeasureError
from coplay.measure.diversity import ComparisonRow, CurveRow
from coplay.report.charts import Point, scatter
from coplay.report.curve import Curve, curve

# Determinants differ by powers of ten, so that their logarithm is drawn; sizes at which they are 0 are left out.


def diversity_figure(rows: Sequence[CurveRow]) -> str:
    """The most diverse subset of every size: where it falls steeply, further members repeat others."""
    points = [Point(str(row.size), row.size, math.log10(row.diversity)) for row in rows if row.diversity > 0]
    if not points:
        raise MeasureError("every diversity is 0: there is nothing to draw.")
    return scatter(points, ("members chosen", "log10 det K"), 240)


def comparison_figure(rows: Sequence[ComparisonRow]) -> str:
    """BR-Div of partners chosen by their best responses, and of partners chosen by themselves."""
    drawn = [row for row in rows if row.by_partners > 0 and row.by_best_responses > 0]
    if not drawn:
        raise MeasureError("every diversity is 0: there is nothing to draw.")
    lines = [
        Curve("chosen by BR-Div", [math.log10(row.by_best_responses) for row in drawn], kind="own"),
        Curve("chosen by P-Div", [math.log10(row.by_partners) for row in drawn]),
    ]
    return curve(lines, [row.size for row in drawn], ("partners", "log10 BR-Div"))
