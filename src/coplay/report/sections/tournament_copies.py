"""Of two sides: every two agents' teams of copies against each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from coplay.measure.dropin.duels import most_wins
from coplay.measure.dropin.results import Tournament
from coplay.report.html import folded, heat_table, interval, paragraph, section, table


def duel_rows(result: Tournament) -> list[list[Any]]:
    agents = result.run.agents
    head = ["agent", "against", "lead", "low", "high", "deals"]
    return [head, *([agents[one.agent], agents[one.other], *one.lead] for one in result.duels)]


def champion(result: Tournament) -> str:
    """Whose copies certainly beat most others', in words; nothing where teams do not play against each other."""
    if not result.duels:
        return ""
    agents, best = result.run.agents, most_wins(result.duels)
    if best is None:
        return "Nobody's copies certainly beat anybody else's."
    closest = best.beaten[0]
    words = f"the closest is {agents[closest.other]}: {closest.lead.short('+.2f')}."
    if not best.others:
        return f"A team of {agents[best.agent]} certainly beats every other agent's team of copies; {words}"
    open_ones = ", ".join(f"{agents[one.other]} ({one.lead.short('+.2f')})" for one in best.others)
    return (
        f"A team of {agents[best.agent]} certainly beats the copies of {len(best.beaten)} of {len(agents) - 1} others; "
        f"{words} Not certainly: {open_ones}."
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
        paragraph(champion(result)),
        heat_table("", agents, rows, "+.1f"),
        paragraph(words, "soft small"),
        folded("All with their intervals", table(["team of", "against", "lead", "95 %"], each)),
    )
