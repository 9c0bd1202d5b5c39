"""The validation reward on a page: what an agent scores in whole games with held-out partners."""

from __future__ import annotations

from coplay.measure.robustness import Validation
from coplay.report.html import folded, interval, paragraph, section, table


def validation_section(found: Validation | None) -> str:
    """Nothing where no such game was played."""
    if found is None:
        return ""
    rows = [[one.where, str(one.partners), f"{one.score.value:.1f}", interval(one.score, 1)] for one in found.rewards]
    by_partner: dict[str, list[float]] = {}
    for one in found.partners:
        by_partner.setdefault(one.partner, []).append(one.mean)
    each = [[partner, f"{sum(means) / len(means):.1f}"] for partner, means in by_partner.items()]
    words = (
        f"Mean points of whole games with held-out partners, the agent in every seat, {found.games} games each. The "
        "partners are given, so only the games are drawn anew for the intervals."
    )
    head = ["where", "partners", "reward", "95 %"]
    parts = [table(head, rows), folded("Partner by partner", table(["partner", "reward"], each)), paragraph(words)]
    return section("Validation reward", *parts)
