"""How an agent behaves, on the page of its evaluation."""

from __future__ import annotations

import math
from typing import Any

from coplay.measure.behaviour.style import RATES
from coplay.measure.evaluated_behaviour import Behaved
from coplay.measure.stats import Estimate
from coplay.report.behaviour import action_heat
from coplay.report.html import folded, heat_table, paragraph, section, table

FIRST = ("communicativeness", "information per play", "misplays", "blind plays", "plays after a hint")


def behaviour_section(found: Behaved | None) -> str:
    """Nothing where the games are not there."""
    if found is None:
        return ""
    if found.events is not None:
        return section("How it behaves", _events(found.events))
    assert found.copies is not None
    assert found.partners is not None
    assert found.kinds is not None
    assert found.actions is not None
    says = {rate.name: rate.says for rate in RATES}
    rows = [[f"{name}: {says[name]}", _cell(found.copies[name]), _cell(found.partners[name])] for name in found.copies]
    head = ["", "with its own copies", "with partners"]
    first = [row for row, name in zip(rows, found.copies, strict=True) if name in FIRST]
    others = [row for row, name in zip(rows, found.copies, strict=True) if name not in FIRST]
    parts = [
        _loose(table(head, first)),
        paragraph("Shares, with 95 % intervals; with partners only the agent's own moves count.", "soft small"),
        *_conventions(found),
        paragraph("What follows what, with its own copies, in per cent: the last move, then the next player's."),
        action_heat(found.kinds),
        folded("Move by move", action_heat(found.actions)),
        folded("More rates", _loose(table(head, others))),
    ]
    return section("How it behaves", *parts)


def behaviour_rows(found: Behaved) -> list[list[Any]]:
    """behaviour.csv"""
    if found.events is not None:
        rows: list[list[Any]] = [["event per game and chef", "with copies", "with partners"]]
        return rows + [[name, *pair] for name, pair in found.events.items()]
    assert found.copies is not None
    assert found.partners is not None
    head = ["rate", *(f"{who}{part}" for who in ("copies", "partners") for part in ("", " low", " high", " occasions"))]
    return [
        head,
        *([name, *_bounds(found.copies[name]), *_bounds(found.partners[name])] for name in found.copies),
    ]


def _bounds(one: Estimate) -> list[Any]:
    return [None if math.isnan(value) else value for value in one[:3]] + [one.n]


def _loose(made: str) -> str:
    """A table whose cells may break on a phone: an interval goes below its value."""
    return f'<div class="loose">{made}</div>'


def _cell(one: Estimate) -> str:
    if math.isnan(one.value):
        return "no occasion"
    return f"{one.value:.2f}" if math.isnan(one.low) else f"{one.value:.2f} ({one.low:.2f}\u00a0to\u00a0{one.high:.2f})"


def _conventions(found: Behaved) -> list[str]:
    if found.adherence is None:
        return []
    share, moves = found.adherence.share, found.adherence.moves
    words = f"H-Group conventions: {share.value:.0%} of {moves:,} moves with its own copies break no principle."
    rows = [[name, f"{count:,}", f"{100 * count / moves:.1f}"] for name, count in found.adherence.violations.items()]
    return [paragraph(words), folded("Principles broken", table(["principle", "moves", "per 100 moves"], rows))]


def _events(events: dict[str, tuple[float, float]]) -> str:
    rows = [(name, list(pair)) for name, pair in events.items() if any(pair)]
    if not rows:
        return paragraph("Nothing happened in any game.")
    words = (
        "Events per game and chef; with partners only the agent's own count. Events that never happened are left out."
    )
    shown = heat_table("", ["with its own copies", "with partners"], rows, ".2f")
    return shown + paragraph(words, "soft small")
