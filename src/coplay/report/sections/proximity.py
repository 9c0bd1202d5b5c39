"""Best-response proximity as a picture, and in the report of an evaluation: its section and the numbers behind it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from coplay.files import csv_text, write_whole
from coplay.measure.evaluated.proximity import PartnerProximity, Proximity
from coplay.measure.proximity import PartnerRow
from coplay.pool.sets import short_names
from coplay.report.charts import Mark, standalone, strip
from coplay.report.html import folded, interval, paragraph, section, table, with_interval


def write_proximity(folder: Path, found: Proximity | None) -> None:
    """figures/proximity.svg and .csv, where there are ceilings."""
    if found is not None:
        write_whole(folder / "figures/proximity.svg", standalone(proximity_figure(found.partners)))
        write_whole(folder / "figures/proximity.csv", csv_text(_rows(found)))


def proximity_section(found: Proximity | None) -> str:
    """How near it comes to what its partners can be brought to; nothing where nobody knows that."""
    if found is None:
        return ""
    value, (low, high), count = found.br_prox, found.quartiles, len(found.partners)
    whom = "one partner" if count == 1 else f"each of {count} partners"
    words = (
        f"of the most that is known to be possible with {whom}: inter-quartile mean, {with_interval(value)}. "
        f"The middle half of the partners lies between {low:.2f} and {high:.2f}."
    )
    groups = (("moderate: self-play up to the median", found.moderate), ("expert: above it", found.expert))
    rows = [[name, str(one.n), f"{one.value:.2f}", interval(one)] for name, one in groups if one is not None]
    legend = (
        "Dot: mean score over the ceiling, at most 1; band: 95 % interval over games. A ceiling is the highest score "
        "that a trained best response, the partner's own copies or an agent of the pool is known to reach with the "
        "partner."
    )
    untrained = [one.partner for one in found.partners if one.best_response is None]
    if untrained:
        names = "any of these partners" if len(untrained) == count else ", ".join(untrained)
        legend += f" No best response was trained to {names}, so what is possible may be more."
    parts = [f'<div class="big">{value.value:.2f}</div>', paragraph(words)]
    parts += [paragraph(f"{said} It counts as 1.", "bad") for said in _beaten(found)]
    parts += [paragraph(said, "bad small") for said in found.warnings if "are beaten" not in said]  # said above
    parts += [proximity_figure(found.partners), paragraph(legend, "soft small")]
    parts.append(table(["partners", "n", "BR-Prox", "95 %"], rows))
    parts.append(folded("The ceilings", table(["partner", "this agent", "ceiling", "reached by"], _ceilings(found))))
    if found.without_ceiling:
        names = ", ".join(found.without_ceiling)
        parts.append(paragraph(f"No ceiling is known, or one too low to show anything: {names}.", "soft small"))
    return section("How near to the best response", *parts)


def _ceilings(found: Proximity) -> list[list[str]]:
    return [[one.partner, f"{one.mean:.2f}", f"{one.ceiling:.2f}", one.held_by] for one in found.partners]


def _beaten(found: Proximity) -> list[str]:
    beaten = [one for one in found.partners if one.beaten]
    names = [f"{one.partner} ({one.mean:.2f} against {one.ceiling:.2f})" for one in beaten]
    return [f"It beat the ceiling of {', '.join(names)}, so that was none."] if names else []


def proximity_figure(rows: Sequence[PartnerRow | PartnerProximity]) -> str:
    """Partner by partner, the nearest first; red: the ceiling was beaten."""
    names = short_names([one.partner for one in rows])
    marks = [
        Mark.of(
            names[one.partner],
            one.proximity,
            f"{one.ceiling:.1f}" if one.ceiling < 100 else f"{one.ceiling:.0f}",
            "bad" if one.beaten else "",
        )
        for one in sorted(rows, key=lambda one: -one.proximity.value)
    ]
    return strip(marks, 0, 1, ("share", "ceiling"), ".2f")


def _rows(found: Proximity) -> list[Sequence[Any]]:
    head = ["partner", "mean", "ceiling", "held_by", "best_response", "self_play", "best_known"]
    rows: list[Sequence[Any]] = [[*head, "proximity", "low", "high", "beaten"]]
    for one in found.partners:
        figures = [None if figure is None else figure.mean for figure in (one.best_response, one.self_play)]
        figures.append(None if one.best_known is None else one.best_known.mean)
        rows.append([one.partner, one.mean, one.ceiling, one.held_by, *figures, *one.proximity[:3], int(one.beaten)])
    return rows
