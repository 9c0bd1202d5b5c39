"""Where two teams meet on the pitch: whose copies beat whose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from coplay.measure import stats
from coplay.measure.dropin.outcomes import Copies
from coplay.measure.stats import Estimate


class Duel(NamedTuple):
    """An agent's team of copies against another agent's."""

    agent: int
    other: int
    lead: Estimate  # goal difference; both teams were the first side on every deal


def duels(copies: Copies) -> Iterator[Duel]:
    """Of every agent with every other; none where teams do not play against each other. Intervals draw deals anew."""
    if copies.leads is None:
        return
    for agent, other in permutations(range(len(copies.leads)), 2):
        yield Duel(agent, other, stats.bootstrap(copies.leads[agent, other], np.mean))


class Wins(NamedTuple):
    """Whom an agent's copies certainly beat, and whom not; the closest first."""

    agent: int
    beaten: list[Duel]
    others: list[Duel]


def most_wins(found: Sequence[Duel]) -> Wins | None:
    """Of the agent whose copies certainly beat most others', of several the one that leads by more; None if nobody
    certainly beats anybody."""
    by_agent: dict[int, list[Duel]] = {}
    for one in sorted(found, key=lambda one: one.lead.value):
        by_agent.setdefault(one.agent, []).append(one)
    wins = [
        Wins(agent, [one for one in own if one.lead.low > 0], [one for one in own if not one.lead.low > 0])
        for agent, own in by_agent.items()
    ]
    best = max(
        wins, key=lambda one: (len(one.beaten), sum(duel.lead.value for duel in by_agent[one.agent])), default=None
    )
    return best if best and best.beaten else None
