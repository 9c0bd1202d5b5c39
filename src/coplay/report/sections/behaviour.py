"""How an agent behaves, on the page of its evaluation."""

from __future__ import annotations

import math
from typing import Any

from coplay.faces import NumberTable, Rate
from coplay.measure.evaluated.behaviour import Behaved
from coplay.measure.stats import Estimate
from coplay.report.html import folded, heat_table, paragraph, section, table

HEAD = ["", "with its own copies", "with partners"]


def behaviour_section(found: Behaved | None) -> str:
    """Nothing where the games are not there, or their world counts nothing."""
    if found is None:
        return ""
    happened = [rate for rate in found.rates if rate.share or _happened(found, rate)]
    if not happened:
        return section("How it behaves", paragraph("Nothing happened in any game."))
    left_out = " What never happened is left out." if len(happened) < len(found.rates) else ""
    legend = f"{found.legend} With partners only the agent's own moves count.{left_out}"
    others = [rate for rate in happened if not rate.first]
    parts = [
        _rates(found, [rate for rate in happened if rate.first]),
        paragraph(legend, "soft small"),
        *_conventions(found),
        *(shown_table(one) for one in found.tables),
        folded("More rates", _rates(found, others)) if others else "",
    ]
    return section("How it behaves", *parts)


def shown_table(one: NumberTable) -> str:
    """A table of a world as a heat map under its title, closed if it says so."""
    scale, form = (100, ".0f") if one.share else (1, ".2f")
    rows = [
        (name, [None if math.isnan(value) else scale * float(value) for value in line])
        for name, line in zip(one.rows, one.values, strict=True)
    ]
    heat = heat_table(one.corner, one.columns, rows, form)
    return folded(one.title, heat) if one.folded else paragraph(one.title) + heat


def behaviour_rows(found: Behaved) -> list[list[Any]]:
    """behaviour.csv"""
    head = ["rate", *(f"{who}{part}" for who in ("copies", "partners") for part in ("", " low", " high", " occasions"))]
    return [
        head,
        *([name, *_bounds(found.copies[name]), *_bounds(found.partners[name])] for name in found.copies),
    ]


def _happened(found: Behaved, rate: Rate) -> bool:
    return found.copies[rate.name].value > 0 or found.partners[rate.name].value > 0


def _rates(found: Behaved, rates: list[Rate]) -> str:
    """A table whose cells may break on a phone: an interval goes below its value."""
    rows = [
        [f"{rate.name}: {rate.says}", _cell(found.copies[rate.name]), _cell(found.partners[rate.name])]
        for rate in rates
    ]
    return f'<div class="loose">{table(HEAD, rows)}</div>'


def _bounds(one: Estimate) -> list[Any]:
    return [None if math.isnan(value) else value for value in one[:3]] + [one.n]


def _cell(one: Estimate) -> str:
    if math.isnan(one.value):
        return "no occasion"
    return f"{one.value:.2f}" if math.isnan(one.low) else f"{one.value:.2f} ({one.low:.2f}\u00a0to\u00a0{one.high:.2f})"


def _conventions(found: Behaved) -> list[str]:
    read = found.conventions
    if read is None:
        return []
    words = (
        f"{read.name} conventions: {read.share.value:.0%} of {read.moves:,} moves with its own copies break no "
        "principle."
    )
    rows = [[name, f"{count:,}", f"{100 * count / read.moves:.1f}"] for name, count in read.violations.items()]
    return [paragraph(words), folded("Principles broken", table(["principle", "moves", "per 100 moves"], rows))]
