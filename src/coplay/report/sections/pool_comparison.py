"""How an agent compares with the pool's agents: what they score with the same partners, from tables we ship.

The tables (`coplay.pool.reference`) hold what an agent scores among copies of a partner. An evaluation is held against
them in the same seats: all of them, or seat 0 alone where the table knows no others.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from coplay.measure.evaluated.folder import EvaluationRun
from coplay.measure.evaluated.scores import PartnerScores
from coplay.measure.evaluation import Evaluation
from coplay.measure.study.seatings import AGENT
from coplay.pool.reference import ALL, Reference, reference
from coplay.report.charts import Mark, strip
from coplay.report.html import folded, paragraph, section, table


class Rival(NamedTuple):
    """One agent of the pool beside the one that was evaluated, both with the same partners."""

    name: str
    partners: int
    mean: float
    this: float  # mean of the agent that was evaluated
    error: float  # standard error of the difference

    @property
    def difference(self) -> float:
        return self.this - self.mean


def comparison_section(evaluation: Evaluation) -> str:
    """Nothing where there is no table for this game, or no partner of this run is in it."""
    known = reference_of(evaluation.run)
    found = [] if known is None else rivals(evaluation, known)
    if known is None or not found:
        return ""
    better = [one for one in found if _verdict(one) == "bad"]
    unsure = sum(_verdict(one) == "unsure" for one in found)
    words = (
        f"{len(better)} of {len(found)} agents of the pool score more than {evaluation.run.agent} with the same "
        f"partners"
        f"{': ' + ', '.join(one.name for one in better) if 0 < len(better) < 6 else ''}"
        f"{f'; of {unsure} it is not certain' if unsure else ''}."
    )
    marks = [_mark(one) for one in found]
    most = max(end for mark in marks for end in mark.ends)
    legend = (
        "Dot: how much more this agent scores than the named one, with the partners both met; band: 95 % interval for "
        "these partners. pool: the named agent's own mean. Blue: this agent scores more; red: less; grey: not certain."
    )
    return section(
        "Compared with the pool's agents",
        paragraph(words),
        strip(marks, 0, 0, ("diff.", "pool"), "+.1f" if most < 100 else "+.0f"),
        paragraph(legend, "soft small"),
        folded("Partner by partner", _partners(evaluation, known)),
    )


def reference_of(run: EvaluationRun) -> Reference | None:
    """The shipped table of exactly the run's game; None where there is none, or the game has changed since."""
    game = run.make_game()
    return (reference(game) or None) if run.game_version == game.version else None


def rivals(evaluation: Evaluation, known: Reference) -> list[Rival]:
    """Every agent of the table with the partners of this run, itself left out; the best first."""
    found = []
    for name in dict.fromkeys(agent for agent, _ in known):
        partners = [one for one in evaluation.partners if one.partner != name and (name, one.partner) in known]
        if name == evaluation.run.agent or not partners:
            continue
        theirs = [known[name, one.partner] for one in partners]
        mine = [_own(one, met.seats) for one, met in zip(partners, theirs, strict=True)]
        errors = [met.standard_error for met in theirs] + [error for _, error in mine]
        error = math.sqrt(sum(one**2 for one in errors)) / len(partners)
        mean, this = float(np.mean([met.mean for met in theirs])), float(np.mean([one for one, _ in mine]))
        found.append(Rival(name, len(partners), mean, this, error))
    return sorted(found, key=lambda one: -one.mean)


def _own(partner: PartnerScores, seats: str) -> tuple[float, float]:
    """Mean and standard error of the agent that was evaluated, alone among copies of a partner, in these seats."""
    alone = [way for way in partner.seatings if way.seating.count(AGENT) == 1]
    ways = alone if seats == ALL else [way for way in alone if way.seating.startswith(AGENT)]
    errors = [way.standard_error if way.n > 1 else 0.0 for way in ways]
    mean = float(np.mean([way.mean.value for way in ways]))
    return mean, math.sqrt(sum(error**2 for error in errors)) / len(ways)


def _mark(one: Rival) -> Mark:
    low, high = _bounds(one)
    mean = f"{one.mean:.1f}" if one.mean < 100 else f"{one.mean:.0f}"
    return Mark(one.name, one.difference, low, high, mean, _verdict(one))


def _bounds(one: Rival) -> tuple[float, float]:
    reach = 1.96 * one.error
    return one.difference - reach, one.difference + reach


def _verdict(one: Rival) -> str:
    """bad: the other certainly scores more; empty: certainly less."""
    low, high = _bounds(one)
    return "bad" if high < 0 else "" if low > 0 else "unsure"


def _partners(evaluation: Evaluation, known: Reference) -> str:
    rows = []
    for one in evaluation.partners:
        partner = one.partner
        met = {name: met for (name, other), met in known.items() if other == partner}
        others = {name: met[name].mean for name in met if name not in (partner, evaluation.run.agent)}
        if others:
            mean, _ = _own(one, met[next(iter(others))].seats)
            best = max(others, key=lambda name: others[name])
            place = 1 + sum(value > mean for value in others.values())
            rows.append([partner, f"{mean:.2f}", f"{place} of {len(others) + 1}", f"{best} {others[best]:.2f}"])
    return table(["partner", "this agent", "place", "best of the pool with this partner"], rows)
