"""Teams of copies: what skill alone gives, and, where two teams meet on the pitch, whose copies beat whose."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np

from coplay.measure import stats, teamwork
from coplay.measure.dropin.play import Teams, TournamentRun, copies_key
from coplay.measure.stats import Estimate


class Copies(NamedTuple):
    """What teams of copies tell. All agents' teams met the same deals."""

    scores: np.ndarray  # float [agents, deals]; of two sides, by how much they led on average
    rel_skill: np.ndarray  # float [agents, agents]
    skill: np.ndarray  # float [agents, deals]: skillAGD on every deal
    leads: np.ndarray | None = None  # of two sides: float [agents, agents, deals], by how much the first led the second


class Duel(NamedTuple):
    """An agent's team of copies against another agent's."""

    agent: int
    other: int
    lead: Estimate  # goal difference; both teams were the first side on every deal


def of_copies(run: TournamentRun, teams: Teams) -> Copies:
    def scores(*agents: int) -> list[float]:
        keys = [copies_key(number, *agents, per_team=run.per_team) for number in range(run.rounds)]
        return [row.score for key in keys for row in teams[key]]

    count = len(run.agents)
    if run.sides == 1:
        own = np.array([scores(agent) for agent in range(count)])
        return Copies(own, teamwork.rel_skill(own), (count * own - own.sum(0)) / (run.per_team * (count - 1)))
    leads = np.zeros((count, count, run.rounds * run.games))
    for first, second in combinations(range(count), 2):
        found = (np.array(scores(first, second)) - np.array(scores(second, first))) / 2
        leads[first, second], leads[second, first] = found, -found
    mean = leads.sum(1) / (count - 1)
    return Copies(mean, leads.mean(2), mean / run.per_team, leads)


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
