"""Best-response proximity as a picture, and in the report of an evaluation: its section and the numbers behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from coplay.data.whole_file import write_whole
from coplay.measure.plain import plain_number
from coplay.measure.proximity import PartnerRow
from coplay.measure.run_folder import RunFolder
from coplay.measure.stats import Estimate
from coplay.report.charts import Mark, standalone, strip
from coplay.report.csv_text import csv_text
from coplay.report.html import folded, interval, paragraph, section, table


def write_proximity(folder: RunFolder, summary: dict[str, Any]) -> None:
    """figures/proximity.svg and .csv, where there are ceilings."""
    found = summary["proximity"]
    if found is not None:
        write_whole(folder / "figures/proximity.svg", standalone(_figure(found)))
        write_whole(folder / "figures/proximity.csv", csv_text(_rows(found)))


def proximity_section(summary: dict[str, Any]) -> str:
    """How near it comes to what its partners can be brought to; nothing where nobody knows that."""
    found = summary["proximity"]
    if found is None:
        return ""
    value, (low, high) = found["br_prox"], found["quartiles"]
    count = len(found["partners"])
    words = (
        f"of the most that is known to be possible with each of {count} partner{'s'[: count != 1]}: inter-quartile "
        f"mean, "
        f"95\u00a0% interval {interval(value['low'], value['high'])}. The middle half of the partners lies between "
        f"{low:.2f} and {high:.2f}."
    )
    rows = [
        [name, str(found[kind]["n"]), f"{found[kind]['value']:.2f}", interval(found[kind]["low"], found[kind]["high"])]
        for kind, name in (("moderate", "moderate: self-play up to the median"), ("expert", "expert: above it"))
        if found[kind] is not None
    ]
    legend = (
        "Dot: mean score over the ceiling, at most 1; band: 95 % interval over games. A ceiling is the highest score "
        "that a trained best response, the partner's own copies or an agent of the pool is known to reach with the "
        "partner."
    )
    untrained = [one["partner"] for one in found["partners"] if one["best_response"] is None]
    if untrained:
        names = "any of these partners" if len(untrained) == count else ", ".join(untrained)
        legend += f" No best response was trained to {names}, so what is possible may be more."
    parts = [f'<div class="big">{value["value"]:.2f}</div>', paragraph(words)]
    parts += [paragraph(f"{said} It counts as 1.", "bad") for said in _beaten(found)]
    parts += [paragraph(said, "bad small") for said in found["warnings"] if "are beaten" not in said]  # said above
    parts += [_figure(found), paragraph(legend, "soft small"), table(["partners", "n", "BR-Prox", "95 %"], rows)]
    parts.append(folded("The ceilings", table(["partner", "this agent", "ceiling", "reached by"], _ceilings(found))))
    if found["without_ceiling"]:
        names = ", ".join(found["without_ceiling"])
        parts.append(paragraph(f"No ceiling is known, or one too low to show anything: {names}.", "soft small"))
    return section("How near to the best response", *parts)


def _ceilings(found: dict[str, Any]) -> list[list[str]]:
    rows = found["partners"]
    return [[one["partner"], f"{one['mean']:.2f}", f"{one['ceiling']:.2f}", one["held_by"]] for one in rows]


def _beaten(found: dict[str, Any]) -> list[str]:
    beaten = [one for one in found["partners"] if one["beaten"]]
    names = [f"{one['partner']} ({one['mean']:.2f} against {one['ceiling']:.2f})" for one in beaten]
    return [f"It beat the ceiling of {', '.join(names)}, so that was none."] if names else []


def proximity_figure(rows: Sequence[PartnerRow]) -> str:
    """Partner by partner, the nearest first; red: the ceiling was beaten."""
    marks = [
        Mark(
            one.partner,
            one.proximity.value,
            plain_number(one.proximity.low),
            plain_number(one.proximity.high),
            f"{one.ceiling:.1f}" if one.ceiling < 100 else f"{one.ceiling:.0f}",
            "bad" if one.beaten else "",
        )
        for one in sorted(rows, key=lambda one: -one.proximity.value)
    ]
    top = max(1.0, *(end for mark in marks for end in (mark.value, mark.high) if end is not None))
    return strip(marks, 0, top, ("share", "ceiling"), ".2f")


def _figure(found: dict[str, Any]) -> str:
    rows = []
    for one in found["partners"]:
        near = one["proximity"]
        low, high = (math.nan if near[end] is None else near[end] for end in ("low", "high"))
        spread = Estimate(near["value"], low, high, near["n"])
        rows.append(PartnerRow(one["partner"], one["mean"], one["ceiling"], spread, one["beaten"]))
    return proximity_figure(rows)


def _rows(found: dict[str, Any]) -> list[Sequence[Any]]:
    head = ["partner", "mean", "ceiling", "held_by", "best_response", "self_play", "best_known"]
    rows: list[Sequence[Any]] = [[*head, "proximity", "low", "high", "beaten"]]
    for one in found["partners"]:
        near = [one["proximity"][part] for part in ("value", "low", "high")]
        figures = ["" if one[name] is None else one[name][0] for name in head[-3:]]
        rows.append([one["partner"], one["mean"], one["ceiling"], one["held_by"], *figures, *near, int(one["beaten"])])
    return rows
