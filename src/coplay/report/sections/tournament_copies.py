"""Of two sides: every two agents' teams of copies against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coplay.measure.dropin.duels import unbeaten
from coplay.measure.dropin.results import Tournament
from coplay.report.html import folded, heat_table, interval, paragraph, section, table


def duel_rows(result: Tournament) -> list[list[Any]]:
    agents = result.run.agents
    head = ["agent", "against", "lead", "low", "high", "deals"]
    return [head, *([agents[one.agent], agents[one.other], *one.lead] for one in result.duels)]


def champion(result: Tournament) -> str:
    """Whose copies certainly beat everybody else's, in words; nothing if nobody's do."""
    closest = unbeaten(result.duels)
    if closest is None:
        return ""
    first, second = (result.run.agents[agent] for agent in closest[:2])
    return (
        f"A team of {first} certainly beats every other agent's team of copies; "
        f"the closest is {second}: {closest.lead.short('+.2f')}."
    )


def copies_against_copies(result: Tournament) -> Iterator[str]:
    """Nothing where teams do not play against each other."""
    if not result.duels:
        return
    agents = result.run.agents
    rows = [
        (name, [None if i == j else float(result.rel_skill[i, j]) for j in range(len(agents))])
        for i, name in enumerate(agents)
    ]
    words = "By how much a team of the row's copies leads a team of the column's; every deal is played on both sides."
    each = [
        [agents[one.agent], agents[one.other], f"{one.lead.value:+.2f}", interval(one.lead)] for one in result.duels
    ]
    yield section(
        "Copies against copies",
        paragraph(champion(result) or "Nobody's copies certainly beat everybody else's."),
        heat_table("", agents, rows, "+.1f"),
        paragraph(words, "soft small"),
        folded("All with their intervals", table(["team of", "against", "lead", "95 %"], each)),
    )
