"""What agents have cost whose moves cost something: tokens, questions, dollars."""

from __future__ import annotations

from pathlib import Path

from coplay.measure.study.costs import costs_in
from coplay.report.html import paragraph, section, table


def costs_section(folder: Path) -> str:
    """Nothing, where no agent tells what it has spent."""
    found = costs_in(folder)
    if not found:
        return ""
    kinds = list(dict.fromkeys(what for mine in found.values() for what in mine))
    rows = [[agent, *(_amount(mine.get(what)) for what in kinds)] for agent, mine in found.items()]
    legend = "As the agents tell it themselves, of all games of this folder. Every team's part is in costs.csv."
    heads = ["agent", *(what.replace("_", " ") for what in kinds)]
    return section("What it cost", paragraph(legend, "soft small") + table(heads, rows))


def _amount(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,.0f}" if value == round(value) or value >= 1000 else f"{value:,.2f}"
